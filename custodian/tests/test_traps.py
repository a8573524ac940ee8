"""Every verb runs while the interpreter tells of each socket, process and file that it asks for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from csbond_tests.custodian_world import Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.cli import VERBS

_WATCHED = """
import json, sys
told = open(sys.argv.pop(1), "w", encoding="utf-8")
def hook(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.system", "os.fork", "os.spawn")):
        told.write(json.dumps([event, ""]) + "\\n")
    elif event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes)):
        path = arguments[0] if isinstance(arguments[0], str) else arguments[0].decode()
        told.write(json.dumps([event, path]) + "\\n")
sys.addaudithook(hook)
from memory_custodian.cli import main
code = main(sys.argv[1:])
told.flush()
sys.exit(code)
"""
SECRETS = ["history.jsonl", ".claude/projects/chat.jsonl", ".codex/history.jsonl", "src/main.py", ".git/config"]


class Watched(NamedTuple):
    """How a command ended, and what it asked the system for."""

    code: int
    said: str
    events: list[tuple[str, str]]


def watched(world: Project, *arguments: str) -> Watched:
    """Run a command that may find no git, and note what it asks for."""
    told = world.state.parent / "told.jsonl"
    empty = world.state.parent / "no-programs"
    empty.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, str(told), *world.spelled(arguments)],
        env={**world.environment, "PATH": str(empty)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    lines = told.read_text(encoding="utf-8").splitlines()
    return Watched(done.returncode, done.stdout + done.stderr, [tuple(json.loads(line)) for line in lines])


def applied(world: Project, *arguments: str) -> Watched:
    """Preview a command, watched, and run its apply, watched too; the events of both."""
    preview = watched(world, *arguments)
    assert preview.code == 0, preview.said
    done = watched(world, *arguments, "--apply", "--confirm-plan", plan_id_in(preview.said))
    return done._replace(events=preview.events + done.events)


def subject_in(world: Project) -> str:
    (line,) = [line for line in world.text("subjects.md").splitlines() if line.startswith("## MC-SUBJ-")]
    return line.split()[1]


def candidate_in(world: Project) -> str:
    return next(line.split()[1] for line in world.text("inbox.md").splitlines() if line.startswith("## MC-INBOX-"))


def story(verb: str, world: Project) -> Watched:
    """What a verb needs before it, and the verb."""
    subject = ["subject", "add", "Map printer", "--kind", "service", "--evidence", "user-confirmed"]
    fact = ["--evidence", "repo:README.md"]
    match verb:
        case "init":
            return watched(project(world.state.parent / "new", "none"), "init", "--extended", "--agent", "all")
        case "status" | "check" | "read":
            return watched(world, verb, *(["--privacy", "--security"] if verb == "check" else []))
        case "subject":
            return applied(world, *subject)
        case "add":
            assert world.confirmed(*subject).code == 0
            named = ["--subject", subject_in(world), "--facet", "behavior"]
            return watched(world, "add", "Print at 300 dpi.", "--type", "decision", *named, *fact)
        case "promote":
            assert world.run("add", "Prefers tables.", "--candidate", "--type", "preference", *fact).code == 0
            return applied(world, "promote", candidate_in(world), "--evidence", "user-confirmed")
        case "compact":
            return applied(world, "compact")
        case "forget":
            assert world.run("add", "The shade is green.", "--type", "preference", *fact).code == 0
            return applied(world, "forget", "shade")
        case "enable":
            return watched(world, "enable", "areas/printing")
        case "migrate":
            return applied(project(world.state.parent / "old", "0.5"), "migrate")
    raise AssertionError(f"no story for {verb}")


@pytest.fixture
def world(tmp_path: Path) -> Project:
    made = project(tmp_path, inbox="# Memory Inbox\n\n## 2026-03-01\n- The lamp is red.\n- The lamp is red.\n")
    (made.root / "README.md").write_text("# Lantern\n", encoding="utf-8")
    for name in SECRETS:
        for folder in (made.root, tmp_path / "home"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("secret", encoding="utf-8")
    return made


@requirement("CUST-02-02", "CUST-02-03", "CUST-02-05", "CUST-P-12")
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_asks_for_no_network_no_program_and_no_file_that_is_not_its_own(verb: str, world: Project) -> None:
    done = story(verb, world)
    assert done.code in ((0, 1) if verb in {"status", "check"} else (0,)), done.said
    called = [event for event, _ in done.events if event not in {"open", "os.listdir", "os.scandir"}]
    assert not called
    asked = {os.path.realpath(path) for _, path in done.events}
    outside = {path for path in asked if path.startswith(str(world.state.parent.resolve())) and not own(path)}
    assert asked
    assert not outside


def own(path: str) -> bool:
    """Whether a path is memory, private state, a file for agents and what is written for it, or a folder on the way."""
    parts = Path(path).parts
    if "docs" in parts or "state" in parts or "told.jsonl" in parts:
        return True
    return parts[-1] == "project" or bool(
        re.fullmatch(r"\.?(AGENTS|CLAUDE|GEMINI)\.md(\.[0-9a-f]{32}\.tmp)?", parts[-1])
    )


@requirement("CUST-02-02", "CUST-02-03")
def test_what_is_watched_would_be_seen(tmp_path: Path) -> None:
    world = project(tmp_path)
    code = _WATCHED.replace("code = main(sys.argv[1:])", "import socket; socket.socket(); open('secret'); code = 0")
    told = tmp_path / "told.jsonl"
    (tmp_path / "secret").write_text("", encoding="utf-8")
    subprocess.run([sys.executable, "-c", code, str(told)], check=True, timeout=60, cwd=tmp_path, env=world.environment)
    events = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    assert ["socket.__new__", ""] in events
    assert ["open", "secret"] in events
