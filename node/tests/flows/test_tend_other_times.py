"""What tending does as of another time than the clock's: nothing of it shortens the time a person has."""

from __future__ import annotations

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.review_memory import decide_review
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry_fields import CLOCK_SKEW_MS
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

TODOS = {"rules": [{"name": "todos", "match": {"type": "todo"}, "action": "soft_delete"}]}
TOLD = {"rules": [{"name": "told", "match": {"source": "session"}, "action": "soft_delete"}]}
LATER = NOW + 31 * DAY_MS


async def ruled_todo(world, **document):
    await set_forgetting(world, TODOS | document, OWNER, INTENT)
    return await remember(world, "x", type="todo")


@requirement("MEM-005-tend", "MEM-005-5.2-window")
@pytest.mark.parametrize("days", [0.01, 40])
async def test_a_time_before_the_clock_is_only_looked_at(either, days):
    entry = await ruled_todo(either)
    past, before = NOW - round(days * DAY_MS), len(either.ledger.changes)
    with pytest.raises(CsbError, match="what is known since") as refusal:
        await tend_memory(either, past)
    assert (refusal.value.code.name, refusal.value.field) == ("invalid_params", "as_of")
    would = await tend_memory(either, past, dry_run=True)
    assert ([move.entry.id for move in would.moves], would.as_of, would.at) == ([entry.id], past, NOW)
    assert len(either.ledger.changes) == before


@requirement("MEM-005-tend")
@pytest.mark.parametrize("ago", [1, CLOCK_SKEW_MS])
async def test_a_time_less_than_the_clock_skew_ago_is_now(either, ago):
    entry = await ruled_todo(either)
    tended = await tend_memory(either, NOW - ago)
    assert ([move.entry.id for move in tended.moves], tended.as_of) == ([entry.id], NOW)


@requirement("MEM-005-tend")
async def test_the_time_of_the_clock_itself_is_no_time_before_it(either):
    entry = await ruled_todo(either)
    assert [move.entry.id for move in (await tend_memory(either, NOW)).moves] == [entry.id]


@requirement("MEM-005-5.2-window", "MEM-005-5.4-every-eviction")
async def test_what_is_deleted_as_of_a_time_ahead_can_be_restored_for_thirty_days_from_now(either):
    entry = await ruled_todo(either)
    tended = await tend_memory(either, LATER, clear=True)
    assert ([move.entry.id for move in tended.moves], tended.as_of, tended.at) == ([entry.id], LATER, NOW)
    assert (await either.ledger.entry(entry.id)).deleted_at == NOW
    record = either.ledger.changes[-1].audit[0]
    assert (record.timestamp, record.details["timestamp"]) == (NOW, NOW)
    either.clock.advance(30 * DAY_MS - 1)
    assert [back.deleted_at for back in await restore_memory(either, entry.id, OWNER, INTENT)] == [0]


async def test_what_is_deleted_as_of_a_time_ahead_is_cleared_thirty_days_after_now(either):
    entry = await ruled_todo(either)
    await tend_memory(either, LATER, clear=True)
    either.clock.advance(30 * DAY_MS - 1)
    assert (await tend_memory(either)).steps["clear"] == 0
    either.clock.advance(1)
    assert (await tend_memory(either)).steps["clear"] == 1
    assert await either.ledger.entry(entry.id) is None


@requirement("MEM-005-tend")
async def test_a_second_run_as_of_the_same_time_ahead_clears_nothing_of_what_the_first_deleted(either):
    await set_forgetting(either, TOLD, OWNER, INTENT)
    pieces = await tell(either, "A sentence that goes on. " * 250)
    assert len((await tend_memory(either, LATER, clear=True)).moves[0].pieces) == len(pieces) - 1
    assert (await tend_memory(either, LATER, clear=True)).moves == ()
    assert {piece.deleted_at for piece in await either.ledger.entry_pieces(pieces[0].id)} == {NOW}


@requirement("MEM-005-tend", "MEM-005-5.2-window")
async def test_a_run_as_of_a_later_time_ahead_clears_nothing_that_one_before_it_deleted(either):
    entry = await ruled_todo(either)
    by_hand = await remember(either, "by hand")
    await delete_memory(either, by_hand.id, OWNER, INTENT)
    await tend_memory(either, NOW + 100 * DAY_MS, clear=True)
    assert await either.ledger.entry(by_hand.id) is None
    assert (await tend_memory(either, NOW + 200 * DAY_MS, clear=True)).steps["clear"] == 0
    assert [back.id for back in await restore_memory(either, entry.id, OWNER, INTENT)] == [entry.id]


@requirement("MEM-004-4.3-ethical-log", "MEM-004-4.3-three-years")
async def test_what_is_cleared_as_of_a_time_ahead_leaves_a_record_of_today_for_three_years(either):
    entry = await remember(either, "x")
    await delete_memory(either, entry.id, OWNER, INTENT)
    either.clock.advance(DAY_MS)
    far = NOW + 4 * 366 * DAY_MS
    steps = (await tend_memory(either, far, clear=True)).steps
    assert (steps["clear"], steps["purge"]) == (1, 0)
    assert (await tend_memory(either, far, clear=True)).steps["purge"] == 0
    record = await either.ledger.archived(entry.id)
    assert (record.deleted_at, record.cleared_at) == (NOW, NOW + DAY_MS)
    either.clock.advance(3 * 366 * DAY_MS)
    assert (await tend_memory(either)).steps["purge"] == 1


@requirement("MEM-005-5.5-queue")
async def test_a_question_asked_as_of_a_time_ahead_hides_none_that_is_asked_later(either):
    entry = await ruled_todo(either, human_only=True)
    (first,) = (await tend_memory(either, LATER, clear=True)).reviews
    assert (first.asked_at, first.id.startswith(f"review_{NOW}_")) == (NOW, True)
    either.clock.advance(1000)
    declined = await decide_review(either, first.id, "declined", OWNER, INTENT)
    assert declined.review.again_at == NOW + 1000 + 90 * DAY_MS
    either.clock.advance(90 * DAY_MS)
    (again,) = (await tend_memory(either)).reviews
    assert (again.entry_id, again.asked_at) == (entry.id, either.clock.now())
    assert (await tend_memory(either)).reviews == ()
    assert (await either.ledger.latest_reviews([entry.id], "delete")) == {entry.id: again}
