"""What is read of a project, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian.files.memory_files import read_all, read_all_with_agent_files, read_some, read_what_reads
from memory_custodian.files.place import Place
from memory_custodian.files.project import find_place
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.problems import Refused, Unavailable


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


@pytest.fixture
def place(world: Project) -> Place:
    return find_place(str(world.root), "docs/memory")


def test_every_markdown_file_below_the_memory_is_read_sorted(world: Project, place: Place) -> None:
    world.write("areas/sync.md", "# Area: Sync\n")
    world.write("archive/inbox-2026-03-02.md", "# Archive\n")
    world.write("notes.txt", "no memory")
    (world.memory / ".decisions.md.0123456789abcdef0123456789abcdef.tmp").write_text("half")
    texts = read_all(place).texts
    assert list(texts) == sorted(texts)
    assert {"areas/sync.md", "archive/inbox-2026-03-02.md", "manifest.md", "subjects.md"} <= set(texts)
    assert not any("tmp" in file or "txt" in file for file in texts)


def test_a_file_that_cannot_be_read_to_its_end_is_named(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_handle: int, _size: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", broken)
    with pytest.raises(OSError, match="Input/output error") as told:
        read_some(place, ["brief.md"])
    assert told.value.filename == str(world.memory / "brief.md")


def test_named_files_that_are_absent_are_left_out(place: Place) -> None:
    assert list(read_some(place, ["brief.md", "areas/none.md", "brief.md/x.md"]).texts) == ["brief.md"]


def test_a_memory_that_is_not_there_is_named_with_what_makes_it(tmp_path: Path) -> None:
    place = find_place(str(project(tmp_path, protocol="none").root), "docs/memory")
    with pytest.raises(Unavailable, match=r"memory-custodian init --project-root .* makes it"):
        read_all(place)
    with pytest.raises(Unavailable, match=r"memory-custodian init --project-root .* makes it"):
        read_what_reads(place)
    assert read_some(place, ["manifest.md"]).texts == {}
    assert read_all_with_agent_files(place).texts == {}


@requirement("CUST-B1.1-02")
@pytest.mark.parametrize(
    "raw, word",
    [(b"\xef\xbb\xbf# Brief\n", "BOM"), (b"# Brief\n\xff\n", "byte 8"), ("# Brief\n".encode("utf-16"), "UTF-8")],
)
def test_a_file_that_is_not_utf_8_is_refused_by_name(world: Project, place: Place, raw: bytes, word: str) -> None:
    (world.memory / "brief.md").write_bytes(raw)
    with pytest.raises(Refused, match=rf"^brief\.md: .*{word}.*accepted"):
        read_all(place)
    snapshot, faults = read_what_reads(place)
    assert "brief.md" not in snapshot.texts
    assert "decisions.md" in snapshot.texts
    assert list(faults) == ["brief.md"]


@requirement("CUST-B1.1-02")
def test_the_verbs_refuse_such_a_file_in_one_line(world: Project) -> None:
    (world.memory / "subjects.md").write_bytes(b"\xff")
    done = world.run("subject", "list")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: subjects.md: ")
    assert done.err.count("\n") == 1


def test_line_ends_of_windows_are_read_as_lf_and_written_back_as_they_were(world: Project, place: Place) -> None:
    raw = "# Brief\r\n\r\n大\r\n".encode()
    (world.memory / "brief.md").write_bytes(raw)
    (world.memory / "inbox.md").write_bytes(b"# Inbox\r\nmixed\n")
    snapshot = read_all(place)
    assert snapshot.texts["brief.md"] == "# Brief\n\n大\n"
    assert snapshot.crlf == {"brief.md"}
    assert snapshot.texts["inbox.md"] == "# Inbox\r\nmixed\n"
    assert FileChange("x", snapshot.texts["brief.md"], "", "", crlf=True).bytes_before == raw


@pytest.mark.parametrize("raw", [b"", b"no end", b"a\rb\r\n", b"\r\r\n", b"a\x0bb\x0c\xc2\x85\n"])
def test_the_bytes_of_a_file_come_back_from_its_text(world: Project, place: Place, raw: bytes) -> None:
    (world.memory / "brief.md").write_bytes(raw)
    snapshot = read_some(place, ["brief.md"])
    change = FileChange("x", snapshot.texts["brief.md"], "", "", crlf="brief.md" in snapshot.crlf)
    assert change.bytes_before == raw


def test_a_link_inside_the_memory_is_read_and_one_out_of_it_refused(world: Project, place: Place) -> None:
    (world.memory / "preferences.md").symlink_to("brief.md")
    assert read_all(place).texts["preferences.md"] == world.text("brief.md")
    (world.memory / "preferences.md").unlink()
    (world.memory / "preferences.md").symlink_to(world.root / "secret.md")
    (world.root / "secret.md").write_text("secret")
    for read in (read_all, lambda place: read_some(place, ["preferences.md"])):
        with pytest.raises(Refused, match=r"^preferences\.md: leads outside"):
            read(place)
    assert "preferences.md" in read_what_reads(place)[1]


def test_a_linked_folder_is_read_where_it_lies_and_one_out_of_the_memory_refused(world: Project, place: Place) -> None:
    world.write("areas/sync.md", "# Area: Sync\n")
    (world.memory / "profiles").symlink_to("areas")
    assert "profiles/sync.md" not in read_all(place).texts
    assert "profiles/sync.md" in read_some(place, ["profiles/sync.md"]).texts
    (world.root / "outside").mkdir()
    (world.memory / "rules").symlink_to(world.root / "outside")
    with pytest.raises(Refused, match=r"^rules/: leads outside"):
        read_all(place)
    assert "rules" in read_what_reads(place)[1]


def test_a_folder_with_the_name_of_a_file_is_refused(world: Project, place: Place) -> None:
    (world.memory / "brief.md").unlink()
    (world.memory / "brief.md").mkdir()
    with pytest.raises(Refused, match="not a regular file"):
        read_some(place, ["brief.md"])


def test_a_link_to_nothing_is_absent(world: Project, place: Place) -> None:
    (world.memory / "preferences.md").symlink_to("none.md")
    assert "preferences.md" not in read_all(place).texts


def test_agent_files_of_the_project_are_read_where_asked_for(world: Project, place: Place) -> None:
    (world.root / "AGENTS.md").write_bytes(b"# Agents\r\n")
    (world.root / "NOTES.md").write_text("# Notes\n")
    snapshot = read_all_with_agent_files(place)
    assert snapshot.project_texts == {"AGENTS.md": "# Agents\n"}
    assert "AGENTS.md" in snapshot.crlf
    assert read_all(place).project_texts == {}


def test_an_agent_file_that_cannot_be_read_is_told_beside_what_can(world: Project, place: Place) -> None:
    (world.root / "AGENTS.md").write_bytes(b"\xff")
    (world.root / "CLAUDE.md").write_text("# Claude\n")
    snapshot, faults = read_what_reads(place)
    assert snapshot.project_texts == {"CLAUDE.md": "# Claude\n"}
    assert list(faults) == ["AGENTS.md"]
    assert "brief.md" in snapshot.texts


def test_a_name_that_is_not_utf_8_is_refused(world: Project, place: Place) -> None:
    try:
        (world.memory / "a\udcff.md").write_text("x")
    except (OSError, UnicodeError):
        return  # This system has no such names.
    with pytest.raises(Refused, match="file name is not UTF-8"):
        read_all(place)
    assert len(read_what_reads(place)[1]) == 1
