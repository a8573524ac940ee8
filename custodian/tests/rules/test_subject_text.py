"""Subjects as they stand in the registry."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.subject import Subject, SubjectDraft
from memory_custodian.rules.subject_text import parse_subjects, render_subject, with_names

ID = "MC-SUBJ-20260302-a1b2c3d4"
DRAFT = SubjectDraft(
    ID,
    "Library X",
    "dependency",
    "dependency:pypi:library-x",
    ("Library X", "libx"),
    (Evidence("repo", "pyproject.toml"),),
)
WRITTEN = f"""\
## {ID} — Library X

Status: active
Kind: dependency
Canonical-Ref: dependency:pypi:library-x
Evidence:
- repo:pyproject.toml

Aliases:
- Library X
- libx
"""
OTHER = "MC-SUBJ-20260301-00000001"
SECOND = f"## {OTHER} — Sync\n\nStatus: active\nKind: area\nEvidence:\n- user-confirmed\n"
REGISTRY = f"# Subjects\n\nEntries are newest first.\n\n{WRITTEN}\n{SECOND}"


@requirement("CUST-04.4-08")
def test_a_subject_is_written_in_one_form() -> None:
    assert render_subject(DRAFT) == WRITTEN


@requirement("CUST-04.4-08", "CUST-04.4-14")
def test_without_a_reference_its_line_is_absent() -> None:
    text = render_subject(DRAFT._replace(canonical_ref="", kind="concept"))
    assert "Canonical-Ref" not in text
    assert parse_subjects(text)[0].canonical_ref == ""


def test_a_registry_is_read_in_file_order() -> None:
    first, second = parse_subjects(REGISTRY)
    assert first == Subject(
        ID,
        "Library X",
        5,
        "active",
        "dependency",
        "dependency:pypi:library-x",
        ("Library X", "libx"),
        ("repo:pyproject.toml",),
    )
    assert (second.id, second.line, second.aliases) == (OTHER, 17, ())
    assert parse_subjects("# Subjects\n") == ()


@pytest.mark.parametrize(
    "about, found", [([OTHER.lower()], [OTHER]), ([ID, OTHER], [ID, OTHER]), (["x"], []), ([], [])]
)
def test_subjects_are_read_by_their_ids_alone_where_asked_for(about: list[str], found: list[str]) -> None:
    assert [subject.id for subject in parse_subjects(REGISTRY, about)] == found
    assert set(parse_subjects(REGISTRY, about)) <= set(parse_subjects(REGISTRY))


def test_a_subject_written_by_hand_is_read_leniently() -> None:
    text = (
        "## mc-subj-20260302-A1B2C3D4 —  Library X \n\nStatus: Merged\nKind: Dependency\n"
        "Canonical-Ref: dependency:pypi:Library_X\nOwner: somebody\nAliases:\n- libx\nEvidence:\n- user-confirmed\n"
    )
    (found,) = parse_subjects(text)
    assert found.id == ID
    assert (found.title, found.status, found.kind) == ("Library X", "merged", "dependency")
    assert (found.canonical_ref, found.aliases, found.evidence) == (DRAFT.canonical_ref, ("libx",), ("user-confirmed",))
    assert not found.active


def test_a_reference_without_a_normal_form_is_given_as_it_stands() -> None:
    (found,) = parse_subjects(WRITTEN.replace("dependency:pypi:library-x", "library-x"))
    assert found.canonical_ref == "library-x"


def test_what_a_fence_shows_is_no_subject() -> None:
    assert parse_subjects(f"# Subjects\n\n```\n{WRITTEN}```\n") == ()


@requirement("CUST-04.4-04", "CUST-04.4-10")
def test_new_names_change_only_the_lines_of_their_subject() -> None:
    text = with_names(REGISTRY, ID, "Library X Runtime", ("Library X Runtime", "Library X", "libx"))
    assert text == REGISTRY.replace(f"{ID} — Library X\n", f"{ID} — Library X Runtime\n").replace(
        "- Library X\n", "- Library X Runtime\n- Library X\n"
    )
    assert [subject.id for subject in parse_subjects(text)] == [ID, OTHER]


@requirement("CUST-04.4-04")
def test_a_subject_without_aliases_gets_their_list() -> None:
    text = with_names(REGISTRY, OTHER, "Sync", ("Sync", "syncing"))
    assert text == REGISTRY + "\nAliases:\n- Sync\n- syncing\n"
    assert parse_subjects(text)[1].aliases == ("Sync", "syncing")


def test_text_beside_the_aliases_stays() -> None:
    noted = WRITTEN.replace("- libx\n", "- libx\n\nA note by hand.\n") + f"\n## {OTHER} — Sync\n"
    text = with_names(noted, ID, "Library X", ("Library X", "libx", "x"))
    assert text == noted.replace("- libx\n", "- libx\n- x\n")


def test_an_alias_list_at_the_end_of_a_file_without_line_end_is_extended() -> None:
    text = with_names(WRITTEN.rstrip("\n"), ID, "Library X", ("Library X", "libx", "x"))
    assert parse_subjects(text)[0].aliases == ("Library X", "libx", "x")


def test_names_of_a_subject_that_is_not_there_are_refused() -> None:
    with pytest.raises(Refused, match="subject list"):
        with_names(REGISTRY, "MC-SUBJ-20260302-00000009", "x", ("x",))
