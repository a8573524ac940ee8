from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.move_memory import lower_memory, raise_memory
from csbond.flows.note_use import note_use
from csbond.flows.read_memory import read_memory
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember
from csbond_tests.overtaken import Overtaken
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
HOT, WARM, COLD = Level


async def raised(world, entry, to=None, **changes):
    return await raise_memory(world, entry.id, to, **{"caller": OWNER, "intent": INTENT, **changes})


async def lowered(world, entry, to=None, **changes):
    return await lower_memory(world, entry.id, to, **{"caller": OWNER, "intent": INTENT, **changes})


@requirement("MEM-003-3.1-promote")
async def test_a_memory_is_raised_tier_by_tier_and_stays_in_the_highest(either):
    entry = await remember(either, "The key is under the mat.", level="cold")
    warm = await raised(either, entry)
    assert (warm.level, warm.version) == (WARM, 2)
    hot = await raised(either, entry)
    assert (hot.level, hot.version) == (HOT, 3)
    assert await either.ledger.entry(entry.id) == hot
    before = len(either.ledger.changes)
    assert await raised(either, entry) == hot
    assert len(either.ledger.changes) == before, "what is in the highest is written again"


@requirement("MEM-003-3.1-demote")
async def test_a_memory_is_lowered_tier_by_tier_and_stays_in_the_lowest(either):
    entry = await remember(either, "The key is under the mat.", level="hot")
    assert (await lowered(either, entry)).level is WARM
    cold = await lowered(either, entry)
    assert cold.level is COLD
    assert await lowered(either, entry) == cold
    assert cold.version == 3


@requirement("MEM-003-3.1-promote", "MEM-003-3.1-demote", "MEM-004-4.2-cold-warm")
async def test_a_memory_goes_to_a_tier_that_is_named(either):
    entry = await remember(either, "The key is under the mat.", level="cold")
    assert (await raised(either, entry, HOT)).level is HOT
    assert (await raised(either, entry, HOT)).version == 2
    assert (await lowered(either, entry, COLD)).level is COLD


@pytest.mark.parametrize("move,level,to", [(raised, "hot", WARM), (lowered, "cold", WARM)])
async def test_a_tier_in_the_other_direction_is_refused(world, move, level, to):
    entry = await remember(world, "The key is under the mat.", level=level)
    with pytest.raises(CsbError, match="instead") as refusal:
        await move(world, entry, to)
    assert (refusal.value.code.name, refusal.value.field) == ("invalid_params", "to")
    assert (await world.ledger.entry(entry.id)).version == 1


@requirement("MEM-005-5.4-every-eviction", "AUDIT-memory")
@pytest.mark.parametrize(
    "move,level,action,way",
    [(lowered, "hot", "demote", ("hot", "warm")), (raised, "cold", "promote", ("cold", "warm"))],
)
async def test_a_move_by_hand_is_recorded_with_its_way(world, move, level, action, way):
    entry = await remember(world, "The key is under the mat.", level=level)
    await move(world, entry)
    (record,) = world.ledger.changes[-1].audit
    assert (record.type, record.target, record.intent) == (f"memory_{action}", entry.id, INTENT)
    assert record.operation == f"{action}_memory"
    assert record.details == {
        "action": action,
        "memoryId": entry.id,
        "timestamp": NOW,
        "trigger": "manual",
        "previousLevel": way[0],
        "newLevel": way[1],
    }


async def test_a_move_by_hand_counts_from_then_on_as_if_it_was_just_used(either):
    entry = await remember(either, "The key is under the mat.", level="hot")
    now = either.clock.advance(29 * DAY_MS)
    moved = await lowered(either, entry)
    assert (moved.used_at, moved.moved_at, moved.access_count) == (now, now, 0)
    assert await either.ledger.entry(entry.id) == moved
    either.clock.advance(89 * DAY_MS)
    assert (await tend_memory(either)).moves == ()


async def test_what_somebody_lowers_is_not_raised_again_for_the_uses_before(either):
    entry = await remember(either, "The key is under the mat.", level="hot")
    for _ in range(5):
        await read_memory(either, entry.id, OWNER)
    await lowered(either, entry)
    either.clock.advance(1000)
    assert (await tend_memory(either)).moves == ()
    for _ in range(3):
        await read_memory(either, entry.id, OWNER)
    assert [move.to for move in (await tend_memory(either)).moves] == [HOT]


async def test_an_edit_of_the_tier_is_a_move_by_hand_too(either):
    entry = await remember(either, "The key is under the mat.", level="hot")
    for _ in range(5):
        await read_memory(either, entry.id, OWNER)
    now = either.clock.advance(1000)
    after = await edit_memory(either, entry.id, {"level": "warm"}, LevelNames(), caller=OWNER, intent=INTENT)
    assert (after.level, after.used_at, after.moved_at) == (WARM, now, now)
    kept = await either.ledger.entry(entry.id)
    assert (kept.used_at, kept.moved_at, kept.recent, kept.access_count) == (now, now, "", 5)
    told = either.ledger.changes[-1].audit[0].details["moved"]
    assert (told["previousLevel"], told["newLevel"], told["trigger"]) == ("hot", "warm", "manual")
    assert (await tend_memory(either)).moves == ()


async def test_an_edit_of_the_content_lets_it_wait_as_if_it_was_just_used_and_one_of_tags_does_not(either):
    entry = await remember(either, "The key is under the mat.")
    now = either.clock.advance(DAY_MS)
    await edit_memory(either, entry.id, {"tags": ["key"]}, LevelNames(), caller=OWNER, intent=INTENT)
    assert (await either.ledger.entry(entry.id)).used_at == NOW
    await edit_memory(either, entry.id, {"content": "gone"}, LevelNames(), caller=OWNER, intent=INTENT)
    kept = await either.ledger.entry(entry.id)
    assert (kept.used_at, kept.last_accessed, kept.moved_at) == (now, 0, 0)


async def test_a_move_from_a_version_that_is_not_there_is_refused(world):
    entry = await remember(world, "The key is under the mat.")
    with pytest.raises(CsbError) as refusal:
        await raised(world, entry, expected=(7,))
    assert refusal.value.code.name == "version_conflict"
    assert (await raised(world, entry, expected=(1, 7))).level is HOT


@pytest.mark.parametrize("expected", [(), (1,)])
async def test_a_move_that_was_overtaken_is_made_again_unless_it_expects_a_version(world, expected):
    entry = await remember(world, "old")

    async def faster():
        await edit_memory(world, entry.id, {"content": "new"}, LevelNames(), caller=OWNER, intent=INTENT)

    slower = replace(world, ledger=Overtaken(world.ledger, faster))
    if expected:
        with pytest.raises(CsbError, match="version"):
            await raised(slower, entry, expected=expected)
    else:
        moved = await raised(slower, entry)
        assert (moved.level, moved.content, moved.version) == (HOT, "new", 3)


async def test_what_is_deleted_or_somebody_elses_is_not_moved(world):
    entry = await remember(world, "The key is under the mat.", visibility="trusted")
    with pytest.raises(CsbError) as refusal:
        await raised(world, entry, caller=ANN)
    assert refusal.value.code.name == "forbidden"
    await delete_memory(world, entry.id, OWNER, INTENT)
    with pytest.raises(CsbError) as refusal:
        await lowered(world, entry)
    assert refusal.value.code.name == "memory_not_found"
    assert (await world.ledger.entry(entry.id)).level is WARM


@requirement("MEM-004-4.2-uses-kept")
async def test_uses_that_wait_do_not_come_back_after_a_move_or_an_edit_of_the_tier(either):
    for lower in (
        lambda id_: lower_memory(either, id_, WARM, caller=OWNER, intent=INTENT),
        lambda id_: edit_memory(either, id_, {"level": "warm"}, LevelNames(), caller=OWNER, intent=INTENT),
    ):
        entry = await remember(either, f"x {either.identifiers.unique()}", level="hot")
        note_use(either, [entry] * 3)
        assert (await lower(entry.id)).recent == ""
        either.clock.advance(1)
        assert (await tend_memory(either)).moves == ()
        kept = await either.ledger.entry(entry.id)
        assert (kept.level, kept.recent, kept.access_count) == (WARM, "", 3)
