from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.move_memory import lower_memory
from csbond.flows.show_stats import show_stats
from csbond.protocol.errors import Refused
from csbond.protocol.memory.stats import DAY_MS, removals
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset({"home"}))


@pytest.fixture
async def told(either):
    await remember(either, "Public.", id="mem_1_a", visibility="public", level="hot", tags=["pinned"])
    await remember(either, "Private.", id="mem_1_b", type="decision", links=[{"target_id": "mem_1_a"}])
    await remember(either, "Gone.", id="mem_1_c")
    return either


@requirement("MEM-003-3.1-stats")
async def test_the_owner_is_told_how_much_there_is_and_what_became_of_the_rest(told):
    await lower_memory(told, "mem_1_b", None, caller=OWNER, intent=INTENT)
    await delete_memory(told, "mem_1_c", OWNER, INTENT)
    shown = await show_stats(told, OWNER, 7)
    assert (shown.stats.total, shown.stats.linked, shown.stats.links) == (2, 2, 1)
    assert [day.kept for day in shown.growth] == [0] * 6 + [2]
    assert shown.owners is not None
    assert shown.owners.upkeep.held == {"hot": 1, "warm": 0, "cold": 1}
    assert shown.owners.upkeep.pinned == 1
    assert removals(shown.owners.upkeep.removed) == {"manual": {"demote": 1, "delete": 1}}
    assert (shown.owners.upkeep.deleted, shown.owners.upkeep.reviews) == (1, 0)
    assert not shown.owners.index.semantic


@requirement("MEM-003-3.1-stats")
async def test_growth_and_removals_are_of_so_many_days(told):
    await delete_memory(told, "mem_1_c", OWNER, INTENT)
    told.clock.advance(9 * DAY_MS)
    await remember(told, "Later.")
    shown = await show_stats(told, OWNER, 9)
    assert [day.kept for day in shown.growth] == [0] * 8 + [1]
    assert shown.owners is not None
    assert shown.owners.upkeep.removed == {}
    longer = await show_stats(told, OWNER, 10)
    assert [day.kept for day in longer.growth] == [2] + [0] * 8 + [1]
    assert longer.owners is not None
    assert sum(longer.owners.upkeep.removed.values()) == 1


@requirement("MEM-003-3.1-stats", "MEM-007-7.3-everywhere")
async def test_a_principal_is_told_numbers_of_what_it_may_hear_alone(told):
    shown = await show_stats(told, ANN, 7)
    assert (shown.stats.total, shown.stats.linked, shown.stats.links) == (1, 0, 0)
    assert [day.kept for day in shown.growth] == [0] * 6 + [1]
    assert shown.owners is None


async def test_who_may_not_read_memory_is_told_no_numbers(told):
    with pytest.raises(Refused) as refused:
        await show_stats(told, ANONYMOUS, 7)
    assert refused.value.code.name == "forbidden"


async def test_the_lag_of_the_index_is_told(meaning):
    await remember(meaning, "Tea at three.")
    shown = await show_stats(meaning, OWNER, 7)
    assert shown.owners is not None
    assert (shown.owners.index.semantic, shown.owners.index.waiting) == (True, 1)
    meaning.signals.indexing.failed("it does not answer")
    failed = await show_stats(replace(meaning), OWNER, 7)
    assert failed.owners is not None
    assert (failed.owners.index.semantic, failed.owners.index.failure) == (False, "it does not answer")
