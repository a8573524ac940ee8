"""The memory set, read once."""

from __future__ import annotations

from unittest import mock

from csbond_tests.marks import requirement
from memory_custodian.rules import entry_text, memory_index
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject_names import alias_key

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


REVIEWED = (
    SUBJECTS.replace("Map printing", "Library X").replace(
        "Kind: concept\n", "Kind: dependency\nCanonical-Ref: dependency:pypi:Library_X\n"
    )
    + "- LibX\n"
)
OWNED = """\
# Title

## MC-DEC-20260301-0000000a — Print in grey

Status: active
Scope: project
Subject: MC-SUBJ-20260301-00000001
Facet: behavior
Evidence:
- pr:#1

Decision:
Print in grey.
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


@requirement("CUST-04.1-06", "CUST-04.4-03")
def test_entries_subjects_and_ids_of_every_file_are_found_the_archive_included() -> None:
    index = index_of(SNAPSHOT)
    assert [(found.file, found.id, found.line) for found in index.entries] == [
        ("archive/decisions-2026-03-02.md", "MC-DEC-20260101-00000002", 3),
        ("areas/sync.md", "MC-AREA-20260302-00000003", 3),
        ("decisions.md", "MC-DEC-20260302-0000000a", 3),
    ]
    assert [found.id for found in index.subjects] == ["MC-SUBJ-20260301-00000001"]
    assert index.ids == {*(found.id for found in index.entries), *(found.id for found in index.subjects)}


@requirement("CUST-01-18")
def test_two_memory_sets_can_be_compared_by_values_alone() -> None:
    """What a review of two branches needs: who has a reference, who has a name, and who owns an identity."""
    other_id = "MC-SUBJ-20260302-00000009"
    ours = index_of(Snapshot("docs/memory", {"subjects.md": REVIEWED, "decisions.md": OWNED}))
    theirs = index_of(
        Snapshot(
            "docs/memory",
            {
                "subjects.md": REVIEWED.replace(ours.subjects[0].id, other_id).replace("Library_X", "library.x"),
                "areas/sync.md": OWNED.replace(ours.subjects[0].id, other_id).replace("project", "area:sync"),
                "constraints.md": OWNED.replace("MC-DEC", "MC-CON"),
            },
        )
    )
    (mine,), (yours,) = ours.subjects, theirs.subjects
    assert (mine.id, yours.id) == ("MC-SUBJ-20260301-00000001", other_id)
    assert mine.canonical_ref == yours.canonical_ref == "dependency:pypi:library-x"
    owners = {alias_key(name): one.id for one in ours.subjects for name in (one.title, *one.aliases)}
    assert owners == {"library x": mine.id, "libx": mine.id}
    assert {owners.get(alias_key(name)) for name in yours.aliases} == {mine.id}
    assert [entry.owner_key for entry in ours.entries] == [("project", mine.id, "behavior")]
    assert {entry.file: entry.owner_key for entry in theirs.entries} == {
        "areas/sync.md": ("area:sync", other_id, "behavior"),
        "constraints.md": ("project", mine.id, "behavior"),
    }


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
