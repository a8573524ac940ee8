"""SIGTERM, SIGHUP and Ctrl-C directly after each replacement: all of a change is there and reported, or nothing is."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Done, Project, project
from csbond_tests.marks import requirement

STEPPING = """
import os, sys

left, number = int(sys.argv.pop(1)), int(sys.argv.pop(1))
real = os.replace

def replace(one, other, **more):
    global left
    real(one, other, **more)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), number)

os.replace = replace
from memory_custodian.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""A command that is sent a signal directly after its n-th replacement of any file."""

NOTE = ("add", "A note.", "--evidence", "user-confirmed")
AREA = ("add", "Draw in ink.", "--type", "rule", "--name", "ink", "--evidence", "user-confirmed")


def stopped(world: Project, step: int, number: int, *arguments: str, script: str = STEPPING) -> Done:
    process = subprocess.run(
        [sys.executable, "-c", script, str(step), str(int(number)), *world.spelled(arguments)],
        env=world.environment,
        capture_output=True,
        timeout=60,
        text=True,
        check=False,
    )
    return Done(process.returncode, process.stdout, process.stderr)


def left_over(world: Project) -> list[str]:
    """What only a command that was cut off leaves."""
    files = [path for path in world.files() if path.endswith(".tmp")]
    return [*files, *(path.name for kind in ("*.lock", "*.tmp", "journals/*") for path in world.state.rglob(kind))]


@requirement("CUST-14-16", "CUST-07.3-06", "CUST-T-18")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_all_of_a_change_with_its_report_or_nothing(tmp_path: Path, number: signal.Signals) -> None:
    ends = set()
    for step in range(1, 7):
        world = project(tmp_path / str(step))
        world.write("changelog.md", "# Memory Changelog\n\nEntries are newest first.\n")
        before = world.files()
        done = stopped(world, step, number, *AREA)
        written = {path for path, content in world.files().items() if before.get(path) != content}
        ends.add(done.code)
        if done.code == 0:
            assert done.err == ""
            assert written == {f"docs/memory/{file}" for file in ("changelog.md", "manifest.md", "rules/ink.md")}
            assert "Written files: 3\n" in done.out
            assert all(f"- {path}\n" in done.out for path in written)
        else:
            assert (done.out, written) == ("", set())
        assert left_over(world) == []
    assert 0 in ends


@requirement("CUST-14-16", "CUST-T-18")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_an_earlier_change_is_finished_leaves_that_finished(
    tmp_path: Path, number: signal.Signals
) -> None:
    for step in (1, 2):
        world = project(tmp_path / str(step))
        killed = stopped(world, 2, signal.SIGKILL, *AREA)
        assert killed.code == -signal.SIGKILL
        assert len(list(world.state.rglob("journals/*"))) == 1
        for lock in world.state.rglob("*.lock"):
            lock.unlink()
        done = stopped(world, step, number, *NOTE)
        said = "what an earlier command had begun was finished: docs/memory/manifest.md"
        if step == 1:
            assert done.code == (130 if number == signal.SIGINT else 128 + number)
            assert done.err == f"Interrupted; nothing of its own was written. Before that, {said}\n"
        else:
            assert (done.code, done.err) == (0, "")
        assert done.out.startswith("Finished what an earlier command had begun: docs/memory/manifest.md\n")
        assert "rules/ink.md" in world.text("manifest.md")
        assert "Draw in ink." in world.text("rules/ink.md")
        assert left_over(world) == []


LOCKING = """
import os, sys

left, number = int(sys.argv.pop(1)), int(sys.argv.pop(1))
real = os.open

def opened(path, flags, *rest, **more):
    global left
    handle = real(path, flags, *rest, **more)
    if flags & os.O_EXCL and str(path).endswith(".lock"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), number)
    return handle

os.open = opened
from memory_custodian.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""A command that is sent a signal directly after it made its n-th lock, which is still empty."""


@requirement("CUST-07.3-06", "CUST-T-18")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("lock", [1, 2])
def test_a_signal_while_a_lock_is_made_leaves_none(tmp_path: Path, lock: int, number: signal.Signals) -> None:
    world = project(tmp_path)
    before = world.files()
    done = stopped(world, lock, number, *NOTE, script=LOCKING)
    assert done.code in (128 + number, 130)
    assert (world.files(), left_over(world)) == (before, [])
    assert world.run(*NOTE).code == 0
