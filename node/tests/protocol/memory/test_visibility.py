from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.entry import Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.filter import EntryFilter, admits, told_filter
from csbond.protocol.memory.visibility import Audience, as_told, audience_of, may_hear, told_by
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.requirements import requirement

PRIVATE, TRUSTED, PUBLIC = Visibility.PRIVATE, Visibility.TRUSTED, Visibility.PUBLIC


def principal(name, *spaces):
    return Caller(CallerKind.PRINCIPAL, name, Role.VIEWER, frozenset(spaces))


ANN, SAM = principal("ann", "home"), principal("sam", "lab")
TELLERS = ("owner", "principal:ann", "principal:sam", "anonymous")


def entry(visibility, teller="owner", thread="t-1"):
    return MemoryEntry(
        "mem_1_a", "home", "event", "x", (), 1, "user", Level.WARM, visibility, Origin(teller, thread_id=thread)
    )


def heard_by(caller, thread=""):
    audience = audience_of(caller, thread)
    return {
        (visibility, teller)
        for visibility in Visibility
        for teller in TELLERS
        if may_hear(audience, entry(visibility, teller))
    }


def all_of(*visibilities):
    return {(visibility, teller) for visibility in visibilities for teller in TELLERS}


@requirement("MEM-007-7.3-levels", "MEM-007-7.3-everywhere")
def test_the_owner_hears_everything():
    assert heard_by(OWNER) == all_of(PUBLIC, TRUSTED, PRIVATE)


@requirement("MEM-007-7.3-levels", "MEM-007-7.3-everywhere")
@pytest.mark.parametrize("thread", ["", "t-2"])
def test_a_principal_of_the_home_hears_public_and_trusted_entries_and_what_it_told(thread):
    assert heard_by(ANN, thread) == all_of(PUBLIC, TRUSTED) | {(PRIVATE, "principal:ann")}


@requirement("MEM-007-7.3-levels", "MEM-007-7.3-everywhere")
def test_a_principal_of_another_space_hears_public_entries_and_what_it_told():
    assert heard_by(SAM) == all_of(PUBLIC) | {(TRUSTED, "principal:sam"), (PRIVATE, "principal:sam")}


@requirement("MEM-007-7.3-levels", "MEM-007-7.3-everywhere")
def test_anybody_else_hears_public_entries_and_what_was_told_in_its_thread():
    assert heard_by(ANONYMOUS) == heard_by(ANONYMOUS, "t-2") == all_of(PUBLIC)
    assert heard_by(ANONYMOUS, "t-1") == all_of(PUBLIC) | {(TRUSTED, "anonymous"), (PRIVATE, "anonymous")}


@requirement("MEM-007-7.3-levels")
@pytest.mark.parametrize("caller", [OWNER, ANN, SAM, ANONYMOUS])
@pytest.mark.parametrize("visibility", list(Visibility))
def test_a_filter_admits_no_entry_that_may_not_be_told(caller, visibility):
    audience = audience_of(caller)
    assert admits(EntryFilter(), audience, entry(visibility)) is may_hear(audience, entry(visibility))


def test_an_audience_that_nobody_is_named_in_hears_public_entries_only():
    heard = [visibility for visibility in Visibility if may_hear(Audience(), entry(visibility))]
    assert heard == [PUBLIC]


@requirement("MEM-007-7.3-everywhere")
@pytest.mark.parametrize(
    "caller, tellers", [(OWNER, TELLERS), (ANN, ("principal:ann",)), (SAM, ("principal:sam",)), (ANONYMOUS, ())]
)
def test_where_an_entry_comes_from_is_told_to_the_owner_and_who_told_it(caller, tellers):
    audience = audience_of(caller)
    for teller in TELLERS:
        told = replace(entry(PUBLIC, teller), origin=Origin(teller, "t-1", "m-1", "Ann"))
        assert told_by(audience, told) is (teller in tellers)
        assert as_told(audience, told).origin == (told.origin if teller in tellers else Origin("", speaker="Ann"))
        assert replace(as_told(audience, told), origin=told.origin) == told


@requirement("MEM-007-7.3-everywhere")
@pytest.mark.parametrize(
    "declared, left",
    [
        (
            {"unresolved": ["mem_1_private"], "network_id": "net-1"},
            {"link_metadata": {"declared": {"network_id": "net-1"}}},
        ),
        ({"unresolved": [{"target_id": "mem_1_private"}]}, {}),
        ({"network_id": "net-1"}, {"link_metadata": {"declared": {"network_id": "net-1"}}}),
    ],
)
def test_links_that_lead_nowhere_any_more_are_told_to_the_owner_and_who_told_them(declared, left):
    told = replace(entry(PUBLIC, ANN.key), extra={"link_metadata": {"declared": declared}, "future": 1})
    for caller in (OWNER, ANN):
        assert as_told(audience_of(caller), told) == told
    for caller in (SAM, ANONYMOUS):
        assert as_told(audience_of(caller), told).extra == {**left, "future": 1}


@requirement("MEM-007-7.3-everywhere")
@pytest.mark.parametrize("wanted", [EntryFilter(thread="t-1"), EntryFilter(project="thread:t-1")])
def test_a_thread_is_filtered_by_among_what_the_audience_told_and_for_the_owner(wanted):
    def found(caller, thread=""):
        audience = audience_of(caller, thread)
        asked = told_filter(wanted, audience)
        entries = [replace(entry(PUBLIC, teller), project="thread:t-1") for teller in TELLERS]
        return {each.origin.caller_key for each in entries if admits(asked, audience, each)}

    assert found(OWNER) == set(TELLERS)
    assert found(ANN) == {"principal:ann"}
    assert found(ANONYMOUS) == set()
    assert found(ANONYMOUS, "t-1") == {"anonymous"}


def test_a_project_that_is_no_thread_is_filtered_by_as_it_is():
    for wanted in (EntryFilter(project="boats"), EntryFilter(project=""), EntryFilter(), EntryFilter(thread="t-1")):
        assert told_filter(wanted, audience_of(ANN)) == wanted
    both = EntryFilter(project="thread:t-1", thread="t-2")
    assert told_filter(both, audience_of(ANN)) == both
