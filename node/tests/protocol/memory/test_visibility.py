from __future__ import annotations

import pytest

from csbond.protocol.memory.entry import Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.filter import EntryFilter, admits
from csbond.protocol.memory.visibility import Audience, audience_of, may_hear
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
