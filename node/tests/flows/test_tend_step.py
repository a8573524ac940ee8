from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.edit_memory import edit_memory
from csbond.flows.note_use import note_use
from csbond.flows.review_memory import decide_review
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import BY_ITSELF, tend_memory
from csbond.flows.tend_step import BATCH, Carried, Tending, batches, carry_out
from csbond.protocol.errors import Refused
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember
from csbond_tests.overtaken import Overtaken
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world

HOT, WARM, COLD = Level
PRESET = ForgettingPolicy()


def tending(**changes):
    return Tending(NOW, **{"forgetting": PRESET, "intent": BY_ITSELF, **changes})


async def edited(world, entry):
    edit = {"content": f"edited {world.identifiers.unique()}"}
    return await edit_memory(world, entry.id, edit, LevelNames(), caller=OWNER, intent=INTENT)


async def some(world, count=3, **fields):
    return [await remember(world, f"memory {number}", **fields) for number in range(count)]


@requirement("MEM-005-5.4-same-transaction")
async def test_the_moves_of_a_batch_and_their_records_are_one_change(either):
    entries = await some(either)
    moves = [Move(entry, COLD, "ttl", step="warm_ttl") for entry in entries]
    before = len(either.ledger.changes)
    assert await carry_out(either, tending(), moves) == Carried(tuple(moves))
    (change,) = either.ledger.changes[before:]
    assert [record.details["memoryId"] for record in change.audit] == [entry.id for entry in entries]
    assert {(await either.ledger.entry(entry.id)).level for entry in entries} == {COLD}


@requirement("MEM-005-5.4-same-transaction")
async def test_without_its_record_no_memory_moves(either):
    (entry,) = await some(either, 1)
    either.ledger.fault = Refused("already_exists", "the disk broke")
    assert await carry_out(either, tending(), [Move(entry, COLD, "ttl")]) == Carried()
    either.ledger.fault = Refused("invalid_params", "no reason to try again")
    with pytest.raises(Refused, match="no reason"):
        await carry_out(either, tending(), [Move(entry, COLD, "ttl")])
    either.ledger.fault = None
    assert await either.ledger.entry(entry.id) == entry


async def test_what_somebody_changed_meanwhile_stays_and_the_others_move(either):
    entries = await some(either)
    moves = [Move(entry, COLD, "ttl") for entry in entries]

    async def faster():
        await edited(either, entries[1])

    slower = replace(either, ledger=Overtaken(either.ledger, faster))
    carried = await carry_out(slower, tending(), moves)
    assert [move.entry.id for move in carried.moves] == [entries[0].id, entries[2].id]
    assert [(await either.ledger.entry(entry.id)).level for entry in entries] == [COLD, WARM, COLD]
    assert [(await either.ledger.entry(entry.id)).version for entry in entries] == [2, 2, 2]


class AlwaysOvertaken:
    """Somebody else changes one of the memories before each change of more than one."""

    def __init__(self, world, entry):
        self._world, self._entry, self.tries = world, entry, []

    async def commit(self, change):
        self.tries.append(len(change.audit))
        if len(change.audit) > 1:
            await edited(self._world, self._entry)
            raise Refused("version_conflict", "somebody was faster")
        return await self._world.ledger.commit(change)

    def __getattr__(self, name):
        return getattr(self._world.ledger, name)


async def test_where_others_are_always_faster_each_moves_by_itself(world):
    entries = await some(world, 4)
    ledger = AlwaysOvertaken(world, entries[0])
    carried = await carry_out(replace(world, ledger=ledger), tending(), [Move(entry, COLD, "ttl") for entry in entries])
    assert [move.entry.id for move in carried.moves] == [entry.id for entry in entries[1:]]
    assert ledger.tries == [4, 3, 3, 1, 1, 1]


async def test_a_use_between_the_look_and_the_move_is_not_lost(either):
    (entry,) = await some(either, 1)
    either.clock.advance(10)
    note_use(either, [entry])
    await tend_memory(either)
    await carry_out(either, tending(), [Move(entry, COLD, "ttl")])
    kept = await either.ledger.entry(entry.id)
    assert (kept.level, kept.used_at, kept.access_count) == (COLD, NOW + 10, 1)


async def test_a_dry_run_plans_and_writes_nothing(either):
    (entry,) = await some(either, 1)
    move, run = Move(entry, COLD, "ttl"), tending(dry_run=True)
    before = len(either.ledger.changes)
    assert await carry_out(either, run, [move]) == Carried((move,))
    assert run.planned == {entry.id: move}
    assert not run.is_free(entry)
    assert len(either.ledger.changes) == before


async def test_a_batch_holds_each_memory_once_and_at_most_100(world):
    (entry,) = await some(world, 1)

    async def moves():
        for number in range(201):
            for _ in range(2):
                yield Move(replace(entry, id=f"mem_1_{number}"), COLD, "ttl")

    found = [batch async for batch in batches(moves())]
    assert [len({move.entry.id for move in batch}) for batch in found] == [len(batch) for batch in found]
    assert {move.entry.id for batch in found for move in batch} == {f"mem_1_{number}" for number in range(201)}
    assert max(len(batch) for batch in found) == 100


async def human_only(world):
    await set_forgetting(
        world,
        {"human_only": True, "rules": [{"name": "Old", "match": {"type": "todo"}, "action": "soft_delete"}]},
        OWNER,
        INTENT,
    )


@requirement("MEM-005-5.5-human-only")
async def test_in_human_only_mode_nothing_is_deleted_before_a_person_says_so(either):
    await human_only(either)
    ruled = await remember(either, "ruled", type="todo", level="cold")
    outlived = await remember(either, "outlived", level="cold", metadata={"ttl": DAY_MS})
    either.clock.advance(2 * DAY_MS)
    would = await tend_memory(either, dry_run=True)
    tended = await tend_memory(either)
    assert (tended.moves, would.moves) == ((), ())
    asked = {(review.entry_id, review.kind, review.reason) for review in tended.reviews}
    assert asked == {(ruled.id, "delete", "the rule Old says so"), (outlived.id, "delete", "its time has passed")}
    assert {(review.entry_id, review.kind, review.reason) for review in would.reviews} == asked
    records = either.ledger.changes[-1].audit + either.ledger.changes[-2].audit
    assert [record.type for record in records] == ["memory_review"] * 2
    assert {entry.deleted_at for entry in await either.ledger.entries_after("home", 0, 9)} == {0}


@requirement("MEM-005-5.5-queue", "MEM-005-5.5-human-only")
async def test_what_waits_is_asked_once_and_what_was_declined_again_after_90_days(either):
    await human_only(either)
    entry = await remember(either, "ruled", type="todo", level="cold")
    (review,) = (await tend_memory(either)).reviews
    either.clock.advance(DAY_MS)
    assert (await tend_memory(either)).reviews == ()
    await decide_review(either, review.id, "declined", OWNER, INTENT)
    either.clock.advance(90 * DAY_MS - 1)
    assert (await tend_memory(either)).reviews == ()
    either.clock.advance(1)
    (again,) = (await tend_memory(either)).reviews
    assert (again.entry_id, again.id != review.id) == (entry.id, True)


async def test_what_waits_for_a_person_does_not_sink_meanwhile_so_that_the_answer_still_fits(either):
    await human_only(either)
    entry = await remember(either, "ruled", type="todo", level="hot")
    await tend_memory(either)
    either.clock.advance(31 * DAY_MS)
    assert (await tend_memory(either)).moves == ()
    assert (await either.ledger.entry(entry.id)).version == 1


async def test_what_a_person_declined_to_delete_sinks_as_others_do(either):
    await human_only(either)
    entry = await remember(either, "ruled", type="todo", level="hot")
    (review,) = (await tend_memory(either)).reviews
    await decide_review(either, review.id, "declined", OWNER, INTENT)
    either.clock.advance(31 * DAY_MS)
    assert [(move.entry.id, move.to) for move in (await tend_memory(either)).moves] == [(entry.id, WARM)]


@requirement("MEM-004-4.4-review")
async def test_a_decision_is_lowered_only_after_a_yes_where_the_home_asks_for_it(either):
    world: Any = small_world(either.ledger, clock=either.clock, tiers=TierPolicy(review_decisions=True))
    decision = await remember(world, "We take the blue one.", type="decision", level="hot")
    other = await remember(world, "It rains.", level="hot")
    world.clock.advance(30 * DAY_MS)
    tended = await tend_memory(world)
    assert [move.entry.id for move in tended.moves] == [other.id]
    assert [(review.entry_id, review.kind) for review in tended.reviews] == [(decision.id, "lower")]
    assert (await world.ledger.entry(decision.id)).level is HOT


@requirement("MEM-004-4.4-review")
async def test_a_decision_under_review_takes_a_place_of_the_cap_and_is_asked_about_once(either):
    policy = TierPolicy(review_decisions=True, hot_cap=1)
    world: Any = small_world(either.ledger, clock=either.clock, identifiers=either.identifiers, tiers=policy)
    decision = await remember(world, "We take the blue one.", type="decision", level="hot")
    world.clock.advance(1)
    for number in range(2):
        await remember(world, f"It rains, {number}.", level="hot")
    would = await tend_memory(world, dry_run=True)
    first = await tend_memory(world)
    assert would.moves == first.moves
    assert (len(first.moves), [review.entry_id for review in first.reviews]) == (2, [decision.id])
    world.clock.advance(1)
    assert (await tend_memory(world)).moves == ()


async def test_a_question_that_somebody_else_asked_meanwhile_is_not_asked_twice(either):
    await human_only(either)
    await remember(either, "ruled", type="todo", level="cold")

    async def faster():
        await tend_memory(either)

    slower = replace(either, ledger=Overtaken(either.ledger, faster), writing=type(either.writing)())
    assert (await tend_memory(slower)).reviews == ()
    page = await either.ledger.reviews("home", "open", None, 10)
    assert len(page.rows) == 1


async def test_a_question_about_an_earlier_version_is_closed_and_asked_anew(either):
    await human_only(either)
    entry = await remember(either, "ruled", type="todo", level="cold")
    (first,) = (await tend_memory(either)).reviews
    await edited(either, entry)
    either.clock.advance(1)
    assert [review.entry_id for review in (await tend_memory(either, dry_run=True)).reviews] == [entry.id]
    (second,) = (await tend_memory(either)).reviews
    assert (second.entry_version, (await either.ledger.review(first.id)).verdict) == (2, "stale")
    assert [review.id for review in await either.ledger.open_reviews(entry.id)] == [second.id]
    asked = [record.details.get("verdict") for record in either.ledger.changes[-1].audit]
    assert asked == ["stale", None]
    assert (await tend_memory(either)).reviews == ()


async def test_rules_that_are_replaced_during_a_run_decide_nothing_more_in_it(either):
    rules = [{"name": "Old", "match": {"type": "todo"}, "action": "soft_delete"}]
    await set_forgetting(either, {"rules": rules}, OWNER, INTENT)
    for number in range(BATCH + 1):
        await remember(either, f"ruled {number}", type="todo")

    async def stricter():
        await set_forgetting(either, {"rules": rules, "human_only": True}, OWNER, INTENT)

    tended = await tend_memory(replace(either, ledger=Overtaken(either.ledger, stricter)))
    assert (tended.steps["rules"], len(tended.reviews)) == (BATCH, 0)
    assert len((await tend_memory(either)).reviews) == 1
