"""Whatever stands in a memory file or in an argument, a command answers in one line and writes nothing."""

from __future__ import annotations

import os
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
def test_a_file_that_cannot_be_read_is_an_error_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = project(tmp_path)
    closing(monkeypatch, "open", "inbox.md")
    done = world.run("compact")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("I/O error: ")
    assert done.err.endswith("inbox.md: Permission denied\n")


def closing(monkeypatch: pytest.MonkeyPatch, call: str, name: str) -> None:
    """Let what has this name be closed to a call of the system: root, as whom tests may run, may read everything."""
    real = getattr(os, call)

    def closed(path: str, *rest: int) -> object:
        if os.path.basename(path) == name:
            raise PermissionError(13, "Permission denied", path)
        return real(path, *rest)

    monkeypatch.setattr(os, call, closed)


@requirement("CUST-P-09", "CUST-B2.8-01")
@pytest.mark.parametrize("call, name, file", [("open", "brief.md", "brief.md"), ("scandir", "areas", "areas/")])
def test_a_check_names_what_it_may_not_read_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, name: str, file: str
) -> None:
    world = project(tmp_path)
    world.done("enable", "area/sync")
    world.write("decisions.md", f"# Decisions\n\n## {ENTRY} — One\n")
    closing(monkeypatch, call, name)
    done = world.run("check", "--format", "json")
    assert (done.code, done.err) == (1, "")
    first = done.data["issues"][0]
    assert (first["code"], first["file"]) == ("file-unreadable", file)
    assert first["message"] == f"{file}: Permission denied; accepted: what this user can read"
    files = [issue["file"] for issue in done.data["issues"]]
    assert "decisions.md" in files
    assert [one for one in files if one.startswith(file)] == [file], "what cannot be read is not called missing"


LOOPS: dict[str, tuple[str, str]] = {
    "two files": ("rules/a.md", "rules/b.md"),
    "a file in the way of itself": ("inbox.md", "inbox.md"),
    "a folder in the way of itself": ("profiles", "profiles"),
    "files of agents": ("../../AGENTS.md", "../../CLAUDE.md"),
}


def looped(world: Project, one: str, other: str) -> None:
    for link, to in {one: other, other: one}.items():
        path = world.memory / link
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(os.path.basename(to))


@requirement("CUST-P-09", "CUST-B2.1-02")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("loop", LOOPS)
def test_links_in_a_circle_are_named_with_what_is_accepted(tmp_path: Path, loop: str, verb: str) -> None:
    world = project(tmp_path)
    looped(world, *LOOPS[loop])
    done = world.run(*COMMANDS[verb], *(["--profile", "x"] if verb == "read" else []))
    said = done.out if verb == "check" else done.err
    line = next((line for line in said.splitlines() if "leads in a circle; accepted: " in line), "")
    if verb == "check":
        assert (done.code, done.err) == (1, "")
        assert "Evidence coverage: " in done.out
    elif line:
        assert (done.code, done.out, done.err) == (2, "", line + "\n")
        assert line.startswith("Error: ")
    else:
        # These files are nothing that this verb reads.
        assert (loop == "files of agents" and verb != "init") or (loop == "two files" and verb == "read")
        assert "symbolic links" not in done.err
        return
    assert any(os.path.basename(file) in line.partition(": leads")[0] for file in LOOPS[loop]), line


@requirement("CUST-P-09", "CUST-B2.1-02")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "links, named",
    [
        ({"docs/memory": "memory"}, "docs/memory/"),
        ({"docs/memory": "other", "docs/other": "memory"}, "docs/memory/"),
        ({"docs": "docs"}, "docs/"),
    ],
    ids=["the directory itself", "two", "a directory above"],
)
def test_a_memory_directory_that_leads_in_a_circle_is_named_itself_by_every_verb(
    tmp_path: Path, links: dict[str, str], named: str, verb: str
) -> None:
    world = project(tmp_path, "none")
    for link, to in links.items():
        path = world.root / link
        path.parent.mkdir(exist_ok=True)
        if path.is_dir():
            path.rmdir()
        path.symlink_to(to)
    done = world.run(*COMMANDS[verb], *(["--profile", "x"] if verb == "read" else []))
    said = f"Error: {named}: leads in a circle; accepted: a folder, or a link to one\n"
    assert (done.code, done.out, done.err) == (2, "", said)


@requirement("CUST-P-09", "CUST-B2.8-01")
def test_a_check_that_finds_a_circle_reports_everything_else_too(tmp_path: Path) -> None:
    world = project(tmp_path)
    looped(world, *LOOPS["two files"])
    world.write("decisions.md", f"# Decisions\n\n## {ENTRY} — One\n")
    codes = {(one["code"], one["file"]) for one in world.run("check", "--format", "json").data["issues"]}
    assert {("file-unreadable", "rules/a.md"), ("file-unreadable", "rules/b.md")} < codes
    assert "decisions.md" in {file for _, file in codes}
