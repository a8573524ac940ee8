"""A process that ends while it holds the lock leaves nothing that --break-stale-lock could not solve (§13.2)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Done, Project, project
from csbond_tests.marks import requirement

CONFIRMED = ("--evidence", "user-confirmed")
SEEN = ("--evidence", "agent-observed")
ADD = ("add", "A thought", *CONFIRMED)

HOLDER = """
import sys, time
from memory_custodian.files.lock import LockWish, held
from memory_custodian.files.project import find_place
from memory_custodian.files.signals import ended_by_signals

place = find_place(sys.argv[1], "docs/memory")
with ended_by_signals(), held(place, None, LockWish("compact", time.monotonic())):
    print("held", flush=True)
    sys.stdin.read()
"""
"""Takes the bootstrap lock, says so, and keeps it until its input ends."""


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


@pytest.fixture
def holder(world: Project) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the bootstrap lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(world.root)],
        env=world.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def lock_of(world: Project) -> Path:
    (found,) = (world.state / "memory-custodian" / "locks").glob("bootstrap-*.lock")
    return found


def run(world: Project, *arguments: str) -> Done:
    """Run a command as a process of its own."""
    process = world.spawn(*arguments)
    out, err = process.communicate(timeout=60)
    return Done(process.returncode, out, err)


@requirement("CUST-13.2-06", "CUST-07.3-02")
def test_a_time_out_has_an_exit_code_and_says_who_holds_the_lock(world: Project, holder: subprocess.Popen[str]) -> None:
    before = world.files()
    late = run(world, *ADD, "--lock-timeout", "0.3", "--break-stale-lock")
    assert (late.code, late.out) == (1, "")
    assert late.err.startswith("I/O error: Timed out waiting for mutation lock ")
    assert str(lock_of(world)) in late.err
    assert f"held by process {holder.pid} " in late.err
    assert "still running" in late.err
    assert late.err.count("\n") == 1
    assert world.files() == before


@requirement("CUST-07.4-01")
def test_who_waits_long_enough_gets_the_lock(world: Project, holder: subprocess.Popen[str]) -> None:
    waiting = world.spawn(*ADD, "--lock-timeout", "60")
    assert holder.stdin is not None
    holder.stdin.close()
    _out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, err) == (0, "")
    assert "A thought" in world.text("inbox.md")


@requirement("CUST-13.2-05", "CUST-07.3-07", "CUST-07.3-09", "CUST-07.3-11")
def test_after_a_kill_the_lock_is_broken_once_it_is_old_enough_and_only_on_request(
    world: Project, holder: subprocess.Popen[str]
) -> None:
    holder.kill()
    holder.wait()
    lock = lock_of(world)
    young = run(world, *ADD, "--lock-timeout", "0", "--break-stale-lock")
    assert young.code == 1
    assert "its process is gone" in young.err
    assert "breakable above 60 s" in young.err
    os.utime(lock, (time.time() - 61, time.time() - 61))
    unasked = run(world, *ADD, "--lock-timeout", "0")
    assert unasked.code == 1
    assert "--break-stale-lock takes it over" in unasked.err
    assert lock.exists()
    assert run(world, *ADD, "--lock-timeout", "0", "--break-stale-lock").code == 0
    assert "A thought" in world.text("inbox.md")
    assert not list(world.state.rglob("*.lock"))


@requirement("CUST-13.2-05", "CUST-07.3-10")
def test_of_many_who_break_one_lock_each_writes_or_times_out(world: Project, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    os.utime(lock_of(world), (time.time() - 61, time.time() - 61))
    more = ("--evidence", "user-confirmed", "--break-stale-lock", "--lock-timeout", "60")
    running = [world.spawn("add", f"Note {number}", *more) for number in range(8)]
    codes = [process.wait(timeout=60) for process in running]
    for process in running:
        process.communicate()
    assert codes == [0] * 8
    assert all(f"Note {number}\n" in world.text("inbox.md") for number in range(8))
    assert not list(world.state.rglob("*.lock"))


@requirement("CUST-07.3-06", "CUST-13.2-05")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_process_that_is_asked_to_end_releases_the_lock(
    world: Project, holder: subprocess.Popen[str], number: signal.Signals
) -> None:
    lock = lock_of(world)
    holder.send_signal(number)
    assert holder.wait(timeout=60) != 0
    assert not lock.exists()


@requirement("CUST-02-17")
def test_every_command_ends_and_leaves_no_process(tmp_path: Path) -> None:
    """A command leads a session of its own, and holds a pipe that a process it leaves behind would hold too."""
    world = project(tmp_path, "none")
    assert ended(world, "init").code == 0
    subject = found(r"New Subject: (\S+)", confirmed(world, "subject", "add", "Maps", "--kind", "concept", *CONFIRMED))
    confirmed(world, "subject", "add-alias", subject, "Charts")
    about = ("--type", "decision", "--subject", subject, "--facet", "behavior", *CONFIRMED)
    first = found(r"(MC-DEC-\S+)", ended(world, "add", "Draw rivers first.", *about))
    confirmed(world, "add", "Draw lakes first.", *about, "--supersedes", first)
    candidate = found(r"(MC-INBOX-\S+)", ended(world, "add", "Be brief.", "--type", "preference", "--candidate", *SEEN))
    confirmed(world, "promote", candidate, *CONFIRMED)
    confirmed(world, "forget", "brief", "--mode", "purge", "--allow-broad-match")
    for line in ("enable area/sync", "compact", "migrate", "check", "status", "read"):
        assert ended(world, *line.split()).code in {0, 1}
    for line in ("subject list", "--version", "add", "subject show x"):
        assert ended(world, *line.split()).code in {0, 2}


def ended(world: Project, *arguments: str) -> Done:
    """Run a command until it ends; nothing of it may be left, not even in another session."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "memory_custodian",
            *(arguments if "--version" in arguments else world.spelled(arguments)),
        ],
        env=world.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        pass_fds=[writing],
    )
    os.close(writing)
    out, err = process.communicate(timeout=60)
    os.set_blocking(reading, False)
    left = os.read(reading, 1)  # Nothing at once means that nobody holds the other end.
    os.close(reading)
    assert left == b""
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    return Done(process.returncode, out, err)


def confirmed(world: Project, *arguments: str) -> Done:
    """Preview a command and apply its plan, each in a process that ends."""
    plan = found(r"Plan ID: (\S+)", ended(world, *arguments))
    done = ended(world, *arguments, "--apply", "--confirm-plan", plan)
    assert done.code == 0, done
    return done


def found(pattern: str, done: Done) -> str:
    """What a command printed at a place."""
    match = re.search(pattern, done.out)
    assert match, done
    return match[1]


@requirement("CUST-02-09")
def test_writing_in_a_git_repository_stages_and_commits_nothing(world: Project) -> None:
    def git(*words: str) -> str:
        identity = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", "-C", str(world.root), *identity, *words], check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "begin")
    head, index = git("rev-parse", "HEAD"), git("diff", "--cached", "--name-only")
    assert run(world, *ADD).code == 0
    assert world.confirmed("subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed").code == 0
    assert world.confirmed("forget", "A thought", "--mode", "hard").code == 0
    assert git("rev-parse", "HEAD") == head
    assert git("diff", "--cached", "--name-only") == index == ""
    assert sorted(git("status", "--porcelain").split()) == sorted(
        ["M", "docs/memory/do-not-use.md", "M", "docs/memory/subjects.md"]
    )
