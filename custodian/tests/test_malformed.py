"""Whatever stands in a memory file or in an argument, a command answers in one line and writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from csbond_tests.custodian_world import PROJECT_ID, Project, project
from csbond_tests.marks import requirement
from memory_custodian.cli import VERBS

SUBJECT = "MC-SUBJ-aaaaaaaa-bbbbbbbb"
ENTRY = "MC-DEC-20260302-0a0b0c0d"

COMMANDS: dict[str, list[str]] = {
    "init": ["init", "--repair"],
    "status": ["status"],
    "read": ["read", "--task", "maintenance"],
    "add": ["add", "The lamp is green.", "--type", "preference", "--evidence", "user-confirmed"],
    "promote": ["promote", "MC-INBOX-20260302-0a0b0c0d", "--evidence", "user-confirmed", "--type", "preference"],
    "subject": ["subject", "add", "Lamp", "--kind", "feature", "--evidence", "user-confirmed"],
    "compact": ["compact"],
    "forget": ["forget", "lamp"],
    "enable": ["enable", "preferences"],
    "check": ["check"],
    "migrate": ["migrate"],
}


def with_text(file: str, text: str) -> Callable[[Project], None]:
    return lambda world: world.write(file, text)


def with_bytes(file: str, raw: bytes) -> Callable[[Project], None]:
    def change(world: Project) -> None:
        (world.memory / file).write_bytes(raw)

    return change


def in_manifest(old: str, new: str) -> Callable[[Project], None]:
    def change(world: Project) -> None:
        text = world.text("manifest.md")
        assert old in text
        world.write("manifest.md", text.replace(old, new))

    return change


def as_folder(file: str) -> Callable[[Project], None]:
    def change(world: Project) -> None:
        (world.memory / file).unlink()
        (world.memory / file).mkdir()

    return change


FILES: dict[str, Callable[[Project], None]] = {
    "a manifest that is no text": with_bytes("manifest.md", b"\xff\xfe\x00bad"),
    "an inbox that is no text": with_bytes("inbox.md", b"# Inbox\n\xc3\x28\n"),
    "decisions with a byte order mark": with_bytes("decisions.md", b"\xef\xbb\xbf# Decisions\n"),
    "an empty manifest": with_text("manifest.md", ""),
    "a version that is none": in_manifest("protocol_version: 0.6", "protocol_version: six"),
    "a newer version": in_manifest("protocol_version: 0.6", "protocol_version: 9.1"),
    "a version twice": in_manifest("- protocol_version: 0.6\n", "- protocol_version: 0.6\n- protocol_version: 0.5\n"),
    "a project id that is none": in_manifest(f"project_id: {PROJECT_ID}", "project_id: mine"),
    "a route out of the project": in_manifest("- brief.md", "- ../../secret.md"),
    "an entry with a status that is none": with_text(
        "decisions.md", f"# Decisions\n\n## {ENTRY} — One\n\nStatus: open\nScope: project\n\nDecision:\nOne.\n"
    ),
    "an entry without fields": with_text("decisions.md", f"# Decisions\n\n## {ENTRY} — One\n"),
    "a subject without a kind": with_text("subjects.md", f"# Subjects\n\n## {SUBJECT} — Lamp\n\nStatus: active\n"),
    "a fence that never closes": with_text("inbox.md", "# Memory Inbox\n\n- a\n\n```\n- The lamp is red.\n"),
    "a line of NULs": with_text("inbox.md", "# Memory Inbox\n\n- a\0b\n"),
    "an inbox that is a folder": as_folder("inbox.md"),
    "a manifest that is a folder": as_folder("manifest.md"),
}


@requirement("CUST-P-09", "CUST-B2.1-02")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("damage", FILES)
def test_a_malformed_file_is_told_of_in_one_line_and_nothing_is_written(damage: str, verb: str, tmp_path: Path) -> None:
    world = project(tmp_path)
    FILES[damage](world)
    before = world.files()
    done = world.run(*COMMANDS[verb])
    said = done.out + done.err
    assert "Traceback" not in said
    if done.code == 2:
        assert done.out == ""
        assert done.err.startswith("Error: ")
        assert done.err.count("\n") == 1
        assert any(name in done.err for name in (".md", "protocol", "project_id", "MC-")), done.err
    elif done.code == 1:
        assert done.err == "" or done.err.startswith("I/O error: ")
        assert done.err.count("\n") <= 1
    if done.code:
        assert world.files() == before


ARGUMENTS: dict[str, list[str]] = {
    "a lone surrogate": ["add", "a \ud800 b", "--evidence", "user-confirmed"],
    "nothing to say": ["add", "  ", "--evidence", "user-confirmed"],
    "evidence that is none": ["add", "x", "--evidence", "somebody said so"],
    "evidence out of the project": ["add", "x", "--evidence", "repo:../secret.txt"],
    "evidence that is absolute": ["add", "x", "--evidence", "repo:/etc/hosts"],
    "an area that is a path": ["add", "x", "--type", "area", "--name", "../x", "--evidence", "user-confirmed"],
    "a subject that is none": [
        "add", "x", "--type", "decision", "--subject", "lamp", "--facet", "behavior", "--evidence", "user-confirmed"
    ],
    "a subject nobody knows": [
        "add", "x", "--type", "decision", "--subject", SUBJECT, "--facet", "behavior", "--evidence", "user-confirmed"
    ],
    "an entry nobody knows": ["promote", "MC-INBOX-20260302-00000000", "--evidence", "user-confirmed"],
    "an entry that is none": ["promote", "that one", "--evidence", "user-confirmed"],
    "a feature that is none": ["enable", "wings"],
    "a topic that is empty": ["forget", " "],
    "a memory folder outside docs": ["status", "--memory-dir", "notes"],
    "a memory folder outside the project": ["status", "--memory-dir", "docs/../../notes"],
    "apply without a plan": ["forget", "lamp", "--apply"],
    "a plan nobody previewed": ["forget", "lamp", "--apply", "--confirm-plan", "0123456789abcdef"],
    "a target that is none": ["compact", "--target", "../decisions.md"],
}  # fmt: skip


@requirement("CUST-P-09", "CUST-B2.1-02")
@pytest.mark.parametrize("case", ARGUMENTS)
def test_an_argument_that_cannot_be_is_refused_in_one_line_and_nothing_is_written(case: str, tmp_path: Path) -> None:
    world = project(tmp_path, inbox="# Memory Inbox\n\n- The lamp is red.\n")
    before = world.files()
    done = world.run(*ARGUMENTS[case])
    assert done.code == 2, done
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert world.files() == before


@requirement("CUST-B2.1-03", "CUST-B2.1-02")
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in {"init", "status", "check", "read"}])
def test_a_project_without_memory_is_an_error_of_the_disk(verb: str, tmp_path: Path) -> None:
    world = project(tmp_path, "none")
    done = world.run(*COMMANDS[verb])
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("I/O error: ")
    assert done.err.count("\n") == 1
    assert not world.files()


@requirement("CUST-B2.1-03")
def test_a_file_that_cannot_be_read_is_an_error_of_the_disk(tmp_path: Path) -> None:
    world = project(tmp_path)
    (world.memory / "inbox.md").unlink()
    (world.memory / "inbox.md").symlink_to("inbox.md")
    done = world.run("compact")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("I/O error: ")
    assert "inbox.md" in done.err
