"""The index files an entry where it is, whichever story moved it, without a new vector."""

from __future__ import annotations

import pytest

from csbond.flows.erase_memory import erase_memory
from csbond.flows.forget_memory import ForgetRequest, forget_memory
from csbond.flows.index_vectors import catch_up, rebuild_index
from csbond.flows.move_memory import lower_memory, raise_memory
from csbond.flows.tend_memory import tend_memory
from csbond.flows.world import HOME_SPACE
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter, Wanted
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT

TEXT = "A kitten sleeps on the sofa."


async def tiers(world):
    """Where the index has each of its entries."""
    vector = (await world.embedder.embed(["kitten"], "query"))[0]
    return {
        id_: level
        for level in Level
        for id_, _ in world.index.search(HOME_SPACE, vector, 9, Wanted(EntryFilter(level=level)))
    }


async def raised(world, entry):
    await raise_memory(world, entry.id, caller=OWNER, intent=INTENT)


async def lowered(world, entry):
    await lower_memory(world, entry.id, caller=OWNER, intent=INTENT)


async def idle(world, entry):
    world.clock.advance(91 * DAY_MS)
    await tend_memory(world)


async def forgotten(world, entry):
    request = ForgetRequest(EntryFilter(type="event"), dry_run=False, expected=1)
    await forget_memory(world, request, OWNER, INTENT)


@requirement("MEM-002-2.2-filter-inside", "MEM-002-2.2-no-second-embedding")
@pytest.mark.parametrize(
    "move, level", [(raised, Level.HOT), (lowered, Level.COLD), (idle, Level.COLD), (forgotten, None)]
)
async def test_what_was_moved_is_found_in_its_tier(meaning, move, level):
    entry = await remember(meaning, TEXT, level="warm", type="event")
    await catch_up(meaning)
    await move(meaning, entry)
    await catch_up(meaning)
    there = {entry.id: level} if level else {}
    assert await tiers(meaning) == there
    await rebuild_index(meaning)
    assert await tiers(meaning) == there
    assert meaning.embedder.embedded.count(TEXT) == 1


async def test_what_was_erased_is_gone_from_the_index_before_anything_else_is_indexed(meaning):
    entry, other = await remember(meaning, TEXT), await remember(meaning, "A puppy barks.")
    await catch_up(meaning)
    await erase_memory(meaning, entry.id, OWNER, INTENT)
    assert list(await tiers(meaning)) == [other.id]


async def test_a_memory_that_is_merged_into_is_filed_once_and_not_embedded_again(meaning):
    entry = await remember(meaning, TEXT, tags=["cat"])
    await catch_up(meaning)
    merged = await remember(meaning, TEXT, tags=["sofa"])
    assert (merged.id, merged.version) == (entry.id, 2)
    await catch_up(meaning)
    assert meaning.index.count(HOME_SPACE) == 1
    assert meaning.embedder.embedded.count(TEXT) == 1
