"""Structural conflict identity: one active owner of Scope, Subject and Facet."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Draft, Evidence
from memory_custodian.rules.memory_index import MemoryIndex, index_of
from memory_custodian.rules.ownership import check_owner, key_of, owner_of, wider_owner
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

OWNER = """\
## MC-DEC-20260101-00000001 — Print in colour

Status: active
Scope: project
Subject: mc-subj-20260301-AA11BB22
Facet: Behavior
Evidence:
- user-confirmed

Decision:
Print in colour.
"""
DRAFT = Draft(
    id="MC-CON-20260302-00000002",
    type="constraint",
    status="active",
    message="Print in grey.",
    scope="project",
    evidence=(Evidence("user-confirmed"),),
    subject="MC-SUBJ-20260301-aa11bb22",
    facet="behavior",
)


def index(text: str = OWNER, file: str = "decisions.md") -> MemoryIndex:
    """The index of one file."""
    return index_of(Snapshot("docs/memory", {file: text}))


@requirement("CUST-04.4-33", "CUST-01-18", "CUST-16-22")
def test_the_identity_is_scope_subject_and_facet_whatever_their_case() -> None:
    key = key_of(DRAFT._replace(scope="area:Sync"))
    assert key == ("area:sync", "MC-SUBJ-20260301-AA11BB22", "behavior")
    assert key_of(DRAFT._replace(status="candidate")) is None
    assert key_of(DRAFT._replace(subject="", facet="")) is None
    same = index().entries[0].owner_key
    assert same == key_of(DRAFT)


@requirement("CUST-04.4-35", "CUST-04.4-36", "CUST-01-16", "CUST-05.2-10", "CUST-06.3-16", "CUST-13.1-26")
def test_a_second_active_owner_is_refused_with_the_first_and_the_ways_out() -> None:
    with pytest.raises(Refused, match=r"^Active structural owner already exists") as refused:
        check_owner(DRAFT, index())
    for named in ("MC-DEC-20260101-00000001", "decisions.md", "--supersedes", "--area", "review", DRAFT.subject):
        assert named in refused.value.message


def test_an_entry_of_an_area_is_told_the_option_that_gives_it_another_scope() -> None:
    owner = OWNER.replace("Scope: project", "Scope: area:print").replace("MC-DEC", "MC-AREA")
    with pytest.raises(Refused, match="give another Scope with --name"):
        check_owner(DRAFT._replace(type="area", scope="area:print"), index(owner, "areas/print.md"))


@requirement("CUST-04.4-37", "CUST-02-12")
@pytest.mark.parametrize("message", ["Print in colour.", "Something else altogether."])
def test_the_words_of_the_two_decide_nothing(message: str) -> None:
    with pytest.raises(Refused):
        check_owner(DRAFT._replace(message=message), index())


@requirement("CUST-04.4-38", "CUST-02-12", "CUST-02-13", "CUST-16-28")
@pytest.mark.parametrize("date", ["19990101", "20260101", "29991231"])
def test_the_dates_of_the_two_decide_nothing(date: str) -> None:
    with pytest.raises(Refused, match=f"MC-DEC-{date}-00000001"):
        check_owner(DRAFT, index(OWNER.replace("20260101", date)))


@requirement("CUST-04.4-34")
@pytest.mark.parametrize("file", ["constraints.md", "areas/sync.md", "rules/output.md", "notes.md"])
def test_an_owner_is_found_in_every_file_of_the_memory_set(file: str) -> None:
    found = owner_of(("project", "MC-SUBJ-20260301-AA11BB22", "behavior"), index(file=file))
    assert found is not None
    assert found.file == file


@requirement("CUST-05.3-05")
@pytest.mark.parametrize(
    "text, file",
    [
        (OWNER, "archive/decisions-2026-03-02.md"),
        (OWNER, "inbox.md"),
        (OWNER.replace("active", "superseded"), "decisions.md"),
        (OWNER.replace("active", "candidate"), "decisions.md"),
        (OWNER.replace("project", "area:sync"), "areas/sync.md"),
        (OWNER.replace("Behavior", "security"), "decisions.md"),
        (OWNER.replace("AA11BB22", "AA11BB23"), "decisions.md"),
        (OWNER.replace("Subject: mc-subj-20260301-AA11BB22\n", ""), "decisions.md"),
    ],
)
def test_what_is_not_active_or_has_another_identity_owns_nothing_of_it(text: str, file: str) -> None:
    check_owner(DRAFT, index(text, file))


@requirement("CUST-06.3-16", "CUST-13.1-27")
def test_the_owner_itself_may_be_superseded_and_no_other() -> None:
    check_owner(DRAFT._replace(supersedes="MC-DEC-20260101-00000001"), index())
    with pytest.raises(Refused, match="Active structural owner"):
        check_owner(DRAFT._replace(supersedes="MC-DEC-20260101-00000009"), index())


@requirement("CUST-06.3-17")
def test_an_area_is_an_identity_of_its_own_and_its_wider_owner_is_known() -> None:
    narrow = DRAFT._replace(scope="area:sync")
    check_owner(narrow, index())
    wider = wider_owner(narrow, index())
    assert wider is not None
    assert wider.id == "MC-DEC-20260101-00000001"
    assert wider_owner(DRAFT, index()) is None
    assert wider_owner(narrow._replace(facet="security"), index()) is None
