from __future__ import annotations

import asyncio

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.read_memory import read_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

STRANGER = Caller(CallerKind.PRINCIPAL, "eve", Role.EDITOR, frozenset({"home"}))


@requirement("MEM-005-5.2-soft")
async def test_a_deleted_memory_keeps_what_it_said_and_is_found_no_more(world):
    entry = await remember(world, "The key is under the mat.")
    (gone,) = await delete_memory(world, entry.id, OWNER, INTENT)
    assert (gone.deleted_at, gone.version, gone.content) == (NOW, 2, entry.content)
    assert await world.ledger.entry(entry.id) == gone
    assert (await search_memory(world, MemorySearch("key mat"), Audience(everything=True))).results == ()
    with pytest.raises(CsbError, match="was deleted"):
        await read_memory(world, entry.id, OWNER)


@requirement("MEM-003-idempotent")
async def test_deleting_again_answers_the_same_and_writes_nothing(world):
    entry = await remember(world, "gone")
    first = await delete_memory(world, entry.id, OWNER, INTENT)
    world.clock.advance(1000)
    assert await delete_memory(world, entry.id, OWNER, INTENT) == first
    assert len(world.ledger.changes) == 2


@requirement("MEM-005-5.4-record", "MEM-005-5.4-every-eviction", "AUDIT-memory")
async def test_a_deletion_is_recorded_with_its_trigger(world):
    entry = await remember(world, "gone")
    await delete_memory(world, entry.id, OWNER, INTENT)
    (record,) = world.ledger.changes[-1].audit
    assert (record.type, record.timestamp, record.intent) == ("memory_delete", NOW, INTENT)
    (eviction,) = record.details["evictions"]
    assert record.details == {"entries": [entry.id], "trigger": "manual", "soft": True, "evictions": [eviction]}
    assert eviction == {
        "action": "delete",
        "memoryId": entry.id,
        "timestamp": NOW,
        "trigger": "manual",
        "previousLevel": "warm",
        "newLevel": "deleted",
    }


async def test_deleting_one_piece_deletes_the_whole_text(world):
    pieces = await tell(world, "A sentence that goes on. " * 250)
    gone = await delete_memory(world, pieces[1].id, OWNER, INTENT)
    assert [entry.id for entry in gone] == [piece.id for piece in pieces]
    assert all(entry.deleted_at == NOW for entry in gone)


async def test_deletions_at_the_same_time_all_answer_the_same(stored):
    entry = await remember(stored, "gone")
    first, *others = await asyncio.gather(*(delete_memory(stored, entry.id, OWNER, INTENT) for _ in range(4)))
    assert [gone.version for gone in first] == [2]
    assert others == [first] * 3
    assert len(stored.ledger.changes) == 2


async def test_a_deletion_comes_after_an_edit_that_was_faster(stored):
    entry = await remember(stored, "old")
    edit = edit_memory(stored, entry.id, {"content": "new"}, LevelNames(), caller=OWNER, intent=INTENT)
    _, (gone,) = await asyncio.gather(edit, delete_memory(stored, entry.id, OWNER, INTENT))
    assert (gone.content, gone.version, gone.deleted_at) == ("new", 3, NOW)


async def test_a_deletion_from_a_version_that_was_overtaken_is_refused(stored):
    entry = await remember(stored, "old")
    edit = edit_memory(stored, entry.id, {"content": "new"}, LevelNames(), caller=OWNER, intent=INTENT)
    _, outcome = await asyncio.gather(
        edit, delete_memory(stored, entry.id, OWNER, INTENT, (1,)), return_exceptions=True
    )
    assert isinstance(outcome, CsbError)
    assert outcome.code.name == "version_conflict"
    assert (await stored.ledger.entry(entry.id)).deleted_at == 0


@pytest.mark.parametrize(
    "caller, expected, code",
    [(OWNER, (2,), "version_conflict"), (STRANGER, (), "memory_not_found"), (ANONYMOUS, (), "forbidden")],
)
async def test_what_may_not_be_deleted_stays(world, caller, expected, code):
    entry = await remember(world, "stays")
    with pytest.raises(CsbError) as info:
        await delete_memory(world, entry.id, caller, INTENT, expected)
    assert info.value.code.name == code
    assert await world.ledger.entry(entry.id) == entry


async def test_an_unknown_memory_is_not_found(world):
    with pytest.raises(CsbError) as info:
        await delete_memory(world, "mem_1_nobody", OWNER, INTENT)
    assert info.value.code.name == "memory_not_found"
