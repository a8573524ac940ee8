from __future__ import annotations

import asyncio
from typing import Any

import pytest

from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.note_use import keep_uses, keep_uses_for_ever, note_use
from csbond.flows.read_memory import list_memory, read_memory, read_versions
from csbond.flows.search_memory import MemorySearch, recall_for, search_memory
from csbond.flows.tend_memory import tend_memory
from csbond.flows.use_log import MANY
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.promotion import token
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world

EVERYTHING = Audience(everything=True)
FULL = Unavailable("storage_full", "the disk is full")


async def uses_of(world, entry):
    """How often a memory was used, by the ledger."""
    await keep_uses(world)
    return (await world.ledger.entry(entry.id)).access_count


@requirement("MEM-004-4.2-uses")
async def test_being_shown_by_its_id_is_a_use(either):
    entry, other = await remember(either, "The key is under the mat."), await remember(either, "other")
    await read_memory(either, entry.id, OWNER)
    await read_memory(either, entry.id, OWNER)
    assert (await uses_of(either, entry), await uses_of(either, other)) == (2, 0)


@requirement("MEM-004-4.2-uses")
async def test_being_found_by_a_search_is_a_use(either):
    entry, other = await remember(either, "The key is under the mat."), await remember(either, "other")
    await search_memory(either, MemorySearch("key"), EVERYTHING)
    assert (await uses_of(either, entry), await uses_of(either, other)) == (1, 0)


@requirement("MEM-004-4.2-uses")
async def test_being_recalled_for_a_skill_is_a_use(either):
    entry = await remember(either, "The key is under the mat.")
    (found,) = await recall_for(either, OWNER, "t-1")("Where is the key?", 3)
    assert found.entry.id == entry.id
    assert await uses_of(either, entry) == 1


@requirement("MEM-004-4.2-uses")
async def test_a_list_an_edit_and_what_the_node_does_by_itself_are_no_uses(either):
    entry = await remember(either, "The key is under the mat.")
    await list_memory(either, EntryFilter(), OWNER)
    await read_versions(either, entry.id, OWNER)
    await edit_memory(either, entry.id, {"tags": ["key"]}, LevelNames(), caller=OWNER, intent=INTENT)
    await tend_memory(either)
    assert await uses_of(either, entry) == 0
    assert (await either.ledger.entry(entry.id)).recent == ""


@requirement("MEM-004-4.2-uses")
async def test_what_is_not_told_is_not_used(either):
    entry = await remember(either, "The key is under the mat.")
    with pytest.raises(CsbError):
        await read_memory(either, "mem_1_nothing", OWNER)
    await search_memory(either, MemorySearch("key"), Audience(caller_key="anonymous"))
    assert await uses_of(either, entry) == 0


@requirement("MEM-004-4.2-uses-kept")
async def test_a_use_is_kept_a_moment_later_and_makes_no_version(either):
    entry = await remember(either, "The key is under the mat.")
    either.clock.advance(5)
    await read_memory(either, entry.id, OWNER)
    before = await either.ledger.entry(entry.id)
    assert (before.access_count, before.last_accessed, before.used_at) == (0, 0, NOW)
    assert await keep_uses(either) == 1
    after = await either.ledger.entry(entry.id)
    assert (after.access_count, after.last_accessed, after.used_at) == (1, NOW + 5, NOW + 5)
    assert (after.version, after.seq, after.recent) == (before.version, before.seq, token(NOW + 5))
    assert either.ledger.changes[-1].audit == ()
    assert await keep_uses(either) == 0


@requirement("MEM-004-4.2-uses-kept")
async def test_an_edit_that_expects_a_version_is_not_refused_for_a_use(either):
    entry = await remember(either, "old")
    await read_memory(either, entry.id, OWNER)
    await keep_uses(either)
    edit = {"content": "new"}
    after = await edit_memory(either, entry.id, edit, LevelNames(), caller=OWNER, intent=INTENT, expected=(1,))
    assert after.version == 2
    assert (await either.ledger.entry(entry.id)).access_count == 1


@requirement("MEM-004-4.2-uses-kept")
async def test_many_uses_are_kept_in_groups(either):
    entries = [await remember(either, f"memory {number}") for number in range(250)]
    note_use(either, entries)
    note_use(either, entries[:1])
    before = len(either.ledger.changes)
    assert await keep_uses(either) == 250
    sizes = [len(change.writes[0].uses) for change in either.ledger.changes[before:]]
    assert sizes == [200, 50]
    assert (await either.ledger.entry(entries[0].id)).access_count == 2


@requirement("MEM-004-4.2-uses-kept")
async def test_uses_are_counted_before_the_tiers_are_tended(either):
    entry = await remember(either, "The key is under the mat.")
    for _ in range(3):
        await read_memory(either, entry.id, OWNER)
    tended = await tend_memory(either)
    assert tended.steps["keep_uses"] == 1
    assert [(move.entry.id, move.to) for move in tended.moves] == [(entry.id, "hot")]


async def test_uses_that_cannot_be_kept_wait_and_count_later(world):
    entry = await remember(world, "The key is under the mat.")
    await read_memory(world, entry.id, OWNER)
    world.ledger.fault = FULL
    with pytest.raises(Unavailable):
        await keep_uses(world)
    world.clock.advance(7)
    await read_memory(world, entry.id, OWNER)
    world.ledger.fault = None
    assert await keep_uses(world) == 1
    kept = await world.ledger.entry(entry.id)
    assert (kept.access_count, kept.recent) == (2, token(NOW) + token(NOW + 7))


async def test_uses_of_what_is_erased_meanwhile_are_passed_over(either):
    entry, other = await remember(either, "gone"), await remember(either, "here")
    note_use(either, (entry, other))
    await erase_memory(either, entry.id, OWNER, INTENT)
    assert await uses_of(either, other) == 1
    assert await either.ledger.entry(entry.id) is None


@requirement("MEM-004-4.4-rhythm")
async def test_with_a_rhythm_fast_uses_count_by_their_share_even_before_they_are_kept(ledger):
    world: Any = small_world(ledger, tiers=TierPolicy(rhythm_ms=1000))
    entry = await remember(world, "The key is under the mat.")
    await read_memory(world, entry.id, OWNER)
    world.clock.advance(250)
    await read_memory(world, entry.id, OWNER)
    await keep_uses(world)
    world.clock.advance(500)
    await read_memory(world, entry.id, OWNER)
    await keep_uses(world)
    kept = await world.ledger.entry(entry.id)
    assert kept.recent == token(NOW, 1.0) + token(NOW + 250, 0.25) + token(NOW + 750, 0.5)
    assert kept.access_count == 3


@requirement("MEM-004-4.2-cold-warm")
async def test_only_a_hit_by_meaning_is_noted_as_found_and_only_while_it_is_cold(meaning):
    cold = await remember(meaning, "The key is under the mat.", level="cold")
    warm = await remember(meaning, "The key is in the shed.")
    await search_memory(meaning, MemorySearch("key"), EVERYTHING)
    await keep_uses(meaning)
    assert (await meaning.ledger.entry(cold.id)).found_at == 0, "by its words alone"
    note_use(meaning, (cold, warm), found={cold.id, warm.id})
    await keep_uses(meaning)
    assert (await meaning.ledger.entry(cold.id)).found_at == NOW
    assert (await meaning.ledger.entry(warm.id)).found_at == 0


class Pauses:
    """Pauses that end at once, and whoever waits for the nth of them."""

    def __init__(self):
        self.taken = []

    async def __call__(self, seconds):
        self.taken.append(seconds)
        await asyncio.sleep(0)


async def until(is_so):
    """Let the others run until it is so; a worker that does nothing fails the test here."""
    for _ in range(100_000):
        if await is_so():
            return
        await asyncio.sleep(0)
    raise AssertionError(is_so.__name__)


async def test_a_node_keeps_uses_soon_after_they_were_made(world):
    entry = await remember(world, "The key is under the mat.")
    worker = asyncio.create_task(keep_uses_for_ever(world, 0.01))
    await read_memory(world, entry.id, OWNER)

    async def kept():
        return (await world.ledger.entry(entry.id)).access_count == 1

    await until(kept)
    worker.cancel()


async def test_many_uses_are_kept_at_once(world):
    entries = [await remember(world, f"memory {number}") for number in range(MANY)]
    worker = asyncio.create_task(keep_uses_for_ever(world, 3600))
    note_use(world, entries)

    async def kept():
        return (await world.ledger.entry(entries[-1].id)).access_count == 1

    await until(kept)
    worker.cancel()


async def test_a_worker_notes_what_it_cannot_keep_and_tries_again(world):
    entry = await remember(world, "The key is under the mat.")
    pauses = Pauses()
    world.ledger.fault = FULL
    worker = asyncio.create_task(keep_uses_for_ever(world, 0.001, pauses))
    await read_memory(world, entry.id, OWNER)

    async def noted():
        return len(world.journal.noted) > 1

    await until(noted)
    world.ledger.fault = None

    async def kept():
        return (await world.ledger.entry(entry.id)).access_count == 1

    await until(kept)
    worker.cancel()
    assert world.journal.noted[0][0] == "keep_uses"
    assert set(pauses.taken) == {0.001}


@requirement("MEM-004-4.2-warm-hot")
async def test_a_memory_begins_with_the_uses_it_brings(stored):
    brings = {"lastAccessed": NOW - 1000, "accessCount": 20}
    entry = await remember(stored, "used elsewhere", metadata=brings)
    kept = await stored.ledger.entry(entry.id)
    assert kept == entry
    assert (kept.used_at, kept.recent, kept.access_count) == (NOW - 1000, token(NOW - 1000) * 16, 20)


@pytest.mark.parametrize("accessed", [0, NOW + 60_000])
async def test_without_a_time_of_use_that_has_passed_a_memory_was_used_when_it_is_kept(stored, accessed):
    entry = await remember(stored, "new", metadata={"lastAccessed": accessed})
    kept = await stored.ledger.entry(entry.id)
    assert (kept.used_at, kept.recent) == (NOW, "")


async def test_what_a_conversation_leaves_was_used_when_it_was_said(stored):
    (entry,) = await tell(stored, "The key is under the mat.")
    assert (await stored.ledger.entry(entry.id)).used_at == NOW


VIEWER = Caller(CallerKind.PRINCIPAL, "vic", Role.VIEWER, frozenset({"home"}))
EDITOR = Caller(CallerKind.PRINCIPAL, "edd", Role.EDITOR, frozenset({"home"}))
ELSEWHERE = Caller(CallerKind.PRINCIPAL, "zoe", Role.EDITOR, frozenset({"elsewhere"}))


@requirement("MEM-004-4.2-uses")
@pytest.mark.parametrize(
    "caller, counted",
    [(OWNER, 1), (EDITOR, 1), (VIEWER, 0), (ELSEWHERE, 0), (ANONYMOUS, 0)],
    ids=str,
)
async def test_what_is_heard_by_those_who_may_not_write_raises_nothing(either, caller, counted):
    entry = await remember(either, "The key is under the mat.", visibility="public")
    assert [found.entry.id for found in await recall_for(either, caller, "t-1")("Where is the key?", 3)] == [entry.id]
    assert await uses_of(either, entry) == counted


@requirement("MEM-004-4.2-uses")
@pytest.mark.parametrize("caller, counted", [(EDITOR, 1), (VIEWER, 0)], ids=str)
async def test_what_is_shown_to_those_who_may_not_write_raises_nothing(either, caller, counted):
    entry = await remember(either, "The key is under the mat.", visibility="public")
    await read_memory(either, entry.id, caller)
    assert await uses_of(either, entry) == counted
