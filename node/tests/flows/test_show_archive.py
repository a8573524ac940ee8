from __future__ import annotations

import pytest

from csbond.flows.erase_memory import erase_memory
from csbond.flows.show_archive import list_archive, show_archived
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


async def cleared(world, *contents):
    entries = [await remember(world, content) for content in contents]
    for entry in entries:
        world.clock.advance(1000)
        await erase_memory(world, entry.id, OWNER, INTENT)
    return [entry.id for entry in entries]


async def code_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name


@requirement("MEM-004-4.3-archive")
async def test_cleared_memories_are_listed_the_latest_first_page_by_page(either):
    ids = await cleared(either, "a", "b", "c")
    first = await list_archive(either, OWNER, limit=2)
    second = await list_archive(either, OWNER, position_of(first.next_cursor), limit=2)
    assert [record.id for record in first.rows + second.rows] == ids[::-1]
    assert (first.total, second.next_cursor) == (3, "")


@requirement("MEM-004-4.3-archive")
async def test_the_record_of_one_memory_is_shown(either):
    (entry_id,) = await cleared(either, "a")
    assert await show_archived(either, entry_id, OWNER) == await either.ledger.archived(entry_id)


async def test_a_memory_that_lives_has_no_record(either):
    entry = await remember(either, "alive")
    assert await code_of(show_archived(either, entry.id, OWNER)) == "memory_not_found"
    assert (await list_archive(either, OWNER)).rows == ()


@pytest.mark.parametrize("caller", [EDITOR, ANONYMOUS])
async def test_the_archive_is_the_owners(world, caller):
    (entry_id,) = await cleared(world, "a")
    assert await code_of(list_archive(world, caller)) == "forbidden"
    assert await code_of(show_archived(world, entry_id, caller)) == "forbidden"
