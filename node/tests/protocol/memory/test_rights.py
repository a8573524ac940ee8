from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.rights import may_change, may_read, may_restore
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.requirements import requirement


def principal(name, role, *spaces):
    return Caller(CallerKind.PRINCIPAL, name, role, frozenset(spaces))


EDITOR = principal("ann", Role.EDITOR, "home", "lab")
VIEWER = principal("vic", Role.VIEWER, "home")
STRANGER = principal("sam", Role.EDITOR, "lab")


def told_by(key, visibility=Visibility.PRIVATE):
    return MemoryEntry("mem_1_a", "home", "event", "x", (), 1, "user", Level.WARM, visibility, Origin(key))


def refused(call):
    with pytest.raises(Refused) as refusal:
        call()
    assert refusal.value.code.name == "forbidden"
    assert refusal.value.next_step
    return True


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("caller", [OWNER, EDITOR, VIEWER])
def test_the_owner_and_principals_of_the_home_read(caller):
    may_read(caller)


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("caller", [STRANGER, ANONYMOUS])
def test_nobody_else_reads(caller):
    assert refused(lambda: may_read(caller))


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("caller", [OWNER, EDITOR])
def test_the_owner_and_editors_write(caller):
    may_change(caller)


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("caller", [VIEWER, STRANGER, ANONYMOUS])
def test_viewers_and_strangers_write_nothing(caller):
    assert refused(lambda: may_change(caller))
    assert refused(lambda: may_change(caller, told_by(caller.key)))


@requirement("MEM-003-3.1-principals")
def test_the_owner_changes_everything_and_an_editor_what_it_told():
    may_change(OWNER, told_by("principal:ann"))
    may_change(EDITOR, told_by("principal:ann"))


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("key", ["owner", "principal:vic", "anonymous", "principal:an"])
@pytest.mark.parametrize("visibility", list(Visibility))
def test_an_editor_changes_nothing_that_others_told_even_what_it_hears(key, visibility):
    assert refused(lambda: may_change(EDITOR, told_by(key, visibility)))


@requirement("MEM-003-3.1-principals", "MEM-003-3.1-restore")
@pytest.mark.parametrize("deleter", ["", "principal:ann", "rule:Old todos"])
def test_an_editor_brings_back_what_it_told_and_nobody_else_deleted(deleter):
    entry = replace(told_by("principal:ann"), deleted_at=1, deleter=deleter)
    may_restore(EDITOR, entry)
    may_restore(OWNER, replace(entry, deleter="owner"))
    assert refused(lambda: may_restore(EDITOR, replace(entry, deleter="owner")))
