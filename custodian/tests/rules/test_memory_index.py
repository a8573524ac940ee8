"""The memory set, read once."""

from __future__ import annotations

from unittest import mock

from csbond_tests.marks import requirement
from memory_custodian.rules import entry_text, memory_index
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.snapshot import Snapshot

SUBJECTS = """\
# Subjects

## MC-SUBJ-20260301-00000001 — Map printing

Status: active
Kind: concept
Evidence:
- user-confirmed

Aliases:
- Map printing
"""


def entry(entry_id: str) -> str:
    """A short entry."""
    return f"## {entry_id} — x\n\nStatus: active\nScope: project\nEvidence:\n- pr:#1\n\nDecision:\nx\n"


SNAPSHOT = Snapshot(
    "docs/memory",
    {
        "archive/decisions-2026-03-02.md": f"# Archive\n\n{entry('MC-DEC-20260101-00000002')}",
        "areas/sync.md": f"# Area: Sync\n\n{entry('MC-AREA-20260302-00000003')}",
        "brief.md": "# Project Brief\n\nSupersedes: MC-DEC-20260101-00000009\n",
        "decisions.md": f"# Decisions\n\n{entry('mc-dec-20260302-0000000A')}\n## Old\n- bullet\n",
        "manifest.md": "# Memory Manifest\n",
        "subjects.md": SUBJECTS,
    },
)


@requirement("CUST-04.1-06", "CUST-04.4-03", "CUST-01-18")
def test_entries_subjects_and_ids_of_every_file_are_found_the_archive_included() -> None:
    index = index_of(SNAPSHOT)
    assert [(found.file, found.id, found.line) for found in index.entries] == [
        ("archive/decisions-2026-03-02.md", "MC-DEC-20260101-00000002", 3),
        ("areas/sync.md", "MC-AREA-20260302-00000003", 3),
        ("decisions.md", "MC-DEC-20260302-0000000a", 3),
    ]
    assert [found.id for found in index.subjects] == ["MC-SUBJ-20260301-00000001"]
    assert index.ids == {*(found.id for found in index.entries), *(found.id for found in index.subjects)}


def test_an_entry_or_subject_is_found_by_its_id() -> None:
    index = index_of(SNAPSHOT)
    found, subject = index.entry("MC-DEC-20260302-0000000a"), index.subject("MC-SUBJ-20260301-00000001")
    assert found is not None
    assert found.file == "decisions.md"
    assert subject is not None
    assert subject.title == "Map printing"
    assert index.entry("MC-DEC-20260302-0000000b") is None
    assert index.subject("MC-SUBJ-20260301-0000000b") is None


@requirement("CUST-T-19")
def test_every_file_is_read_once_and_one_without_ids_not_at_all() -> None:
    with mock.patch.object(memory_index, "parse_entries", wraps=entry_text.parse_entries) as parsed:
        index_of(SNAPSHOT)
    assert [call.args[0] for call in parsed.call_args_list] == [
        "archive/decisions-2026-03-02.md",
        "areas/sync.md",
        "decisions.md",
    ]


def test_a_project_without_a_registry_has_no_subjects() -> None:
    assert index_of(Snapshot("docs/memory", {})).subjects == ()


@requirement("CUST-T-19")
def test_who_asks_about_some_ids_gets_the_entries_of_the_files_that_name_them_and_every_id() -> None:
    index = index_of(SNAPSHOT, about=["mc-dec-20260302-0000000A"])
    assert [found.id for found in index.entries] == ["MC-DEC-20260302-0000000a"]
    assert index.ids == index_of(SNAPSHOT).ids
    assert index_of(SNAPSHOT, about=[]).entries == ()
