"""A text that was cut into pieces moves, waits and goes as one: its first piece decides (MEM-004 §4.2, MEM-005 §5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.forget_memory import ForgetRequest, forget_memory
from csbond.flows.move_memory import lower_memory, raise_memory
from csbond.flows.note_use import keep_uses, note_use
from csbond.flows.preview_forgetting import apply_forgetting, preview_forgetting
from csbond.flows.read_memory import read_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.review_memory import decide_review
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.promotion import uses
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember, tell
from csbond_tests.overtaken import Overtaken
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world

HOT, WARM, COLD = Level
LONG = "A sentence that goes on. " * 300


def with_policy(world, **policy):
    return small_world(world.ledger, clock=world.clock, identifiers=world.identifiers, tiers=TierPolicy(**policy))


async def told(world):
    pieces = await tell(world, LONG, said_at=NOW)
    assert len(pieces) == 4
    return pieces


async def text_of(world, piece):
    return await world.ledger.entry_pieces(piece.id)


async def places(world, piece):
    """In which tiers the pieces are, or that they are deleted, each once."""
    return {"deleted" if each.deleted_at else str(each.level) for each in await text_of(world, piece)}


async def rule(world, action, **document):
    rules = [{"name": "Told", "match": {"source": "session"}, "action": action}]
    await set_forgetting(world, {"rules": rules, **document}, OWNER, INTENT)


def ways(tended):
    return [(move.entry.id, str(move.to), move.step) for move in tended.moves]


def recorded(world, since=0):
    """How many records of each type name how many memories, by the change they came with."""
    return [
        (change.audit[0].type, len({record.details["memoryId"] for record in change.audit}))
        for change in world.ledger.changes[since:]
        if change.audit and "memoryId" in change.audit[0].details
    ]


@requirement("MEM-005-report-orphans", "MEM-005-5.4-same-transaction")
async def test_a_text_of_four_pieces_lives_by_the_uses_of_one_and_goes_as_a_whole(either):
    world = with_policy(either, warm_idle_ms=10 * DAY_MS, cold_ttl_ms=10 * DAY_MS)
    pieces = await told(world)
    for _ in range(4):
        world.clock.advance(8 * DAY_MS)
        await read_memory(world, pieces[2].id, OWNER)
        assert (await tend_memory(world)).moves == ()
        assert await places(world, pieces[0]) == {"warm"}
    ways_so_far = []
    for _ in range(3):
        world.clock.advance(31 * DAY_MS)
        ways_so_far += ways(await tend_memory(world))
        assert len(await places(world, pieces[0])) <= 1
    head = pieces[0].id
    assert ways_so_far == [(head, "cold", "warm_ttl"), (head, "deleted", "cold_ttl"), (head, "erased", "clear")]
    assert await text_of(world, pieces[3]) == ()
    assert (await world.ledger.archived_by_id([piece.id for piece in pieces])).keys() == {each.id for each in pieces}
    assert recorded(world) == [("memory_demote", 4), ("memory_delete", 4), ("memory_clear", 4)]


@requirement("MEM-005-5.1-hot-lru", "MEM-001-1.1-warm-cap")
async def test_a_cap_counts_a_text_once_and_moves_it_whole(either):
    world = with_policy(either, hot_cap=2, warm_cap=2)
    pieces = await told(world)
    for number in range(2):
        world.clock.advance(1)
        await remember(world, f"memory {number}", level="hot")
    await raise_memory(world, pieces[1].id, caller=OWNER, intent=INTENT)
    assert await places(world, pieces[0]) == {"hot"}
    assert await world.ledger.tier_size("home", HOT) == 3
    world.clock.advance(1)
    (move,) = (await tend_memory(world)).moves
    assert (move.to, move.step) == (WARM, "hot_cap")
    world.clock.advance(1)
    for number in range(3):
        await remember(world, f"another {number}", level="hot")
    assert (pieces[0].id, "warm", "hot_cap") in ways(await tend_memory(world))
    assert await places(world, pieces[0]) == {"warm"}
    assert await world.ledger.crowded_projects("home", 0) != ()


@requirement("MEM-001-1.1-warm-cap")
async def test_the_pieces_of_a_text_are_one_memory_of_their_project(either):
    world = with_policy(either, warm_cap=1)
    pieces = await told(world)
    assert (await tend_memory(world)).moves == ()
    other = await tell(world, LONG, said_at=NOW + 9)
    assert ways(await tend_memory(world)) == [(pieces[0].id, "cold", "warm_cap")]
    assert (await places(world, pieces[0]), await places(world, other[0])) == ({"cold"}, {"warm"})


@requirement("MEM-004-4.2-warm-hot")
async def test_uses_of_any_piece_raise_the_whole_text_and_one_look_counts_once(either):
    pieces = await told(either)
    note_use(either, pieces)
    await keep_uses(either)
    now = either.clock.now()
    assert [uses(piece.recent, now, DAY_MS) for piece in await text_of(either, pieces[0])] == [1, 1, 1, 1]
    note_use(either, pieces[1:])
    await keep_uses(either)
    assert (await either.ledger.entry(pieces[0].id)).access_count == 2
    assert (await tend_memory(either)).moves == ()
    note_use(either, [pieces[3]])
    assert ways(await tend_memory(either)) == [(pieces[0].id, "hot", "hot_cap")]
    assert await places(either, pieces[0]) == {"hot"}


@requirement("MEM-004-4.2-cold-warm")
async def test_a_text_rises_whole_when_one_piece_was_found_by_meaning(either):
    world = with_policy(either, cold_rises="found")
    pieces = await told(world)
    await lower_memory(world, pieces[2].id, caller=OWNER, intent=INTENT)
    assert await places(world, pieces[0]) == {"cold"}
    world.clock.advance(1)
    note_use(world, [pieces[0], pieces[3]], found={pieces[3].id})
    assert ways(await tend_memory(world)) == [(pieces[0].id, "warm", "rise")]
    assert await places(world, pieces[0]) == {"warm"}
    assert {piece.moved_at for piece in await text_of(world, pieces[0])} == {world.clock.now()}


@requirement("MEM-005-5.3-actions")
@pytest.mark.parametrize("action, place", [("archive", "cold"), ("soft_delete", "deleted")])
async def test_a_rule_that_fits_the_first_piece_takes_the_whole_text(either, action, place):
    pieces = await told(either)
    await rule(either, action)
    assert ways(await tend_memory(either)) == [(pieces[0].id, place, "rules")]
    assert await places(either, pieces[0]) == {place}


async def test_a_hot_text_that_nobody_uses_sinks_whole(either):
    pieces = await told(either)
    await raise_memory(either, pieces[3].id, caller=OWNER, intent=INTENT)
    either.clock.advance(30 * DAY_MS)
    assert ways(await tend_memory(either)) == [(pieces[0].id, "warm", "hot_idle")]
    assert await places(either, pieces[0]) == {"warm"}


@requirement("MEM-005-5.3-dry-run")
async def test_a_dry_run_tells_of_a_text_what_is_done_then(either):
    pieces = await told(either)
    await rule(either, "soft_delete")
    would = await tend_memory(either, dry_run=True)
    assert await places(either, pieces[0]) == {"warm"}
    did = await tend_memory(either)
    assert (ways(would), would.steps) == (ways(did), did.steps)


async def test_a_plan_is_another_one_when_any_piece_was_edited(either):
    pieces = await told(either)
    await rule(either, "soft_delete")
    plan = (await preview_forgetting(either, OWNER)).plan
    await edit_memory(either, pieces[2].id, {"content": "Else."}, LevelNames(), caller=OWNER, intent=INTENT)
    preview = await preview_forgetting(either, OWNER)
    assert preview.plan != plan
    assert [row.entry_id for row in preview.page.rows] == [pieces[0].id]
    assert ways(await apply_forgetting(either, preview.plan, OWNER, INTENT)) == [(pieces[0].id, "deleted", "rules")]
    assert await places(either, pieces[0]) == {"deleted"}


@requirement("MEM-003-3.1-promote", "MEM-003-3.1-demote")
@pytest.mark.parametrize("place", range(4))
async def test_whichever_piece_is_named_the_whole_text_moves_and_is_told_as_that_piece(either, place):
    pieces = await told(either)
    before = len(either.ledger.changes)
    raised = await raise_memory(either, pieces[place].id, caller=OWNER, intent=INTENT)
    assert (raised.id, raised.level, raised.version) == (pieces[place].id, HOT, 2)
    assert await places(either, pieces[0]) == {"hot"}
    await lower_memory(either, pieces[place].id, COLD, caller=OWNER, intent=INTENT)
    assert await places(either, pieces[0]) == {"cold"}
    assert recorded(either, before) == [("memory_promote", 4), ("memory_demote", 4)]
    assert [piece.version for piece in await text_of(either, pieces[0])] == [3, 3, 3, 3]


async def test_an_edit_of_the_tier_of_a_piece_moves_the_whole_text(either):
    pieces = await told(either)
    edit = {"level": "hot", "content": "Else."}
    await edit_memory(either, pieces[1].id, edit, LevelNames(), caller=OWNER, intent=INTENT)
    text = await text_of(either, pieces[0])
    assert [(piece.level, piece.version, piece.recent) for piece in text] == [(HOT, 2, "")] * 4
    assert [piece.content == "Else." for piece in text] == [False, True, False, False]


async def test_an_edit_of_a_piece_lets_the_whole_text_count_as_used(either):
    pieces = await told(either)
    now = either.clock.advance(DAY_MS)
    await edit_memory(either, pieces[2].id, {"content": "Else."}, LevelNames(), caller=OWNER, intent=INTENT)
    assert (await either.ledger.entry(pieces[0].id)).used_at == now


async def test_a_text_is_deleted_and_comes_back_whole_whichever_piece_is_named(either):
    pieces = await told(either)
    await delete_memory(either, pieces[2].id, OWNER, INTENT)
    assert await places(either, pieces[0]) == {"deleted"}
    assert (await tend_memory(either)).moves == ()
    await restore_memory(either, pieces[1].id, OWNER, INTENT)
    assert await places(either, pieces[0]) == {"warm"}


@requirement("MEM-005-5.5-human-only")
async def test_a_person_is_asked_once_about_a_text_and_answers_for_all_of_it(either):
    await rule(either, "soft_delete", human_only=True)
    pieces = await told(either)
    (review,) = (await tend_memory(either)).reviews
    assert review.entry_id == pieces[0].id
    await decide_review(either, review.id, "approved", OWNER, INTENT)
    assert await places(either, pieces[0]) == {"deleted"}


@requirement("MEM-004-4.4-review")
async def test_a_yes_to_lowering_lowers_the_whole_text(either):
    world = with_policy(either, review_decisions=True)
    pieces = await tell(world, "We have decided to take the blue one. " * 200, said_at=NOW)
    assert {piece.type for piece in pieces} == {"decision"}
    world.clock.advance(90 * DAY_MS)
    (review,) = (await tend_memory(world)).reviews
    await decide_review(world, review.id, "approved", OWNER, INTENT)
    assert await places(world, pieces[0]) == {"cold"}


@pytest.mark.parametrize("overtaken", range(1, 4))
async def test_when_one_piece_is_overtaken_the_whole_text_is_tried_again(either, overtaken):
    pieces = await told(either)
    await rule(either, "soft_delete")

    async def faster():
        edit = {"content": "Else."}
        await edit_memory(either, pieces[overtaken].id, edit, LevelNames(), caller=OWNER, intent=INTENT)

    slower = replace(either, ledger=Overtaken(either.ledger, faster))
    assert ways(await tend_memory(slower)) == [(pieces[0].id, "deleted", "rules")]
    text = await text_of(either, pieces[0])
    assert [piece.version for piece in text] == [3 if place == overtaken else 2 for place in range(4)]
    assert await places(either, pieces[0]) == {"deleted"}


async def test_when_the_first_piece_is_overtaken_the_whole_text_stays(either):
    pieces = await told(either)
    await rule(either, "soft_delete")

    async def faster():
        edit = {"content": "Else."}
        await edit_memory(either, pieces[0].id, edit, LevelNames(), caller=OWNER, intent=INTENT)

    slower = replace(either, ledger=Overtaken(either.ledger, faster))
    assert ways(await tend_memory(slower)) == []
    assert await places(either, pieces[0]) == {"warm"}


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize("mode", ["soft", "hard"])
async def test_what_somebody_edits_while_it_is_forgotten_stays_with_its_whole_text(either, mode):
    pieces = await told(either)
    wanted = EntryFilter(source="session")
    expected = (await forget_memory(either, ForgetRequest(wanted, mode), OWNER, INTENT)).count
    assert expected == 4

    async def faster():
        edit = {"content": "Else."}
        await edit_memory(either, pieces[2].id, edit, LevelNames(), caller=OWNER, intent=INTENT)

    slower: Any = replace(either, ledger=Overtaken(either.ledger, faster))
    done = await forget_memory(slower, ForgetRequest(wanted, mode, False, 4), OWNER, INTENT)
    assert (done.count, done.left, done.ids) == (0, 4, ())
    assert await places(either, pieces[0]) == {"warm"}
    again = await forget_memory(either, ForgetRequest(wanted, mode, False, 4), OWNER, INTENT)
    assert (again.count, sorted(again.ids)) == (4, sorted(piece.id for piece in pieces))


async def test_a_batch_is_full_when_its_texts_have_a_hundred_pieces(either):
    for number in range(30):
        await tell(either, LONG, said_at=NOW + number)
    await rule(either, "archive")
    before = len(either.ledger.changes)
    assert (await tend_memory(either)).steps["rules"] == 30
    sizes = [len(change.audit) for change in either.ledger.changes[before:]]
    assert (max(sizes) <= 103, sum(sizes)) == (True, 120)
