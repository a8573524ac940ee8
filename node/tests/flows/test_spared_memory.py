"""What a person brought back, or did not let go, no rule and no time to live removes for a while."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.forget_memory import ForgetRequest, forget_memory
from csbond.flows.preview_forgetting import preview_forgetting
from csbond.flows.restore_memory import restore_memory
from csbond.flows.review_memory import decide_review
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.show_outlook import show_outlook
from csbond.flows.tend_memory import tend_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
SPARED = NOW + 90 * DAY_MS
TODOS = {"rules": [{"name": "todos", "match": {"type": "todo"}, "action": "soft_delete"}]}
TOLD = {"rules": [{"name": "told", "match": {"source": "session"}, "action": "soft_delete"}]}


async def restored(world, entry):
    return await restore_memory(world, entry.id, OWNER, INTENT)


async def gone(world):
    """The ids of what a run deletes."""
    return [move.entry.id for move in (await tend_memory(world)).moves if move.to == "deleted"]


async def by_a_rule(world):
    await set_forgetting(world, TODOS, OWNER, INTENT)
    return await remember(world, "x", type="todo")


async def by_its_time(world):
    return await remember(world, "x", level="cold", timestamp=NOW - 2 * DAY_MS, metadata={"ttl": DAY_MS})


async def by_hand(world):
    entry = await by_a_rule(world)
    await delete_memory(world, entry.id, OWNER, INTENT)
    return entry


@requirement("MEM-003-3.1-restore", "MEM-005-5.2-left-alone")
@pytest.mark.parametrize("deleted", [by_a_rule, by_its_time, by_hand])
async def test_what_is_brought_back_is_left_alone_for_ninety_days(either, deleted):
    entry = await deleted(either)
    await tend_memory(either)
    (back,) = await restored(either, entry)
    assert (back.deleted_at, back.spared_until) == (0, SPARED)
    assert await restored(either, entry) == (back,)
    assert (await tend_memory(either)).moves == ()
    either.clock.advance(90 * DAY_MS - 1)
    assert await gone(either) == []
    either.clock.advance(1)
    await tend_memory(either)
    either.clock.advance(1)
    await tend_memory(either)
    assert (await either.ledger.entry(entry.id)).deleted_at > 0


@requirement("MEM-005-5.2-left-alone")
async def test_how_long_it_is_left_alone_is_a_setting(either):
    world: Any = replace(either, review_again_ms=DAY_MS)
    entry = await by_a_rule(world)
    await tend_memory(world)
    assert [back.spared_until for back in await restored(world, entry)] == [NOW + DAY_MS]
    world.clock.advance(DAY_MS)
    assert await gone(world) == [entry.id]


@requirement("MEM-005-5.5-human-only")
async def test_what_is_brought_back_is_not_asked_about(either):
    entry = await by_a_rule(either)
    await tend_memory(either)
    await set_forgetting(either, {**TODOS, "human_only": True}, OWNER, INTENT)
    await restored(either, entry)
    assert (await tend_memory(either)).reviews == ()
    either.clock.advance(90 * DAY_MS)
    assert [review.entry_id for review in (await tend_memory(either)).reviews] == [entry.id]


@requirement("MEM-005-5.5-queue", "MEM-005-5.2-left-alone")
async def test_what_was_declined_stays_when_rules_act_by_themselves_again(either):
    await set_forgetting(either, {**TOLD, "human_only": True}, OWNER, INTENT)
    pieces = await tell(either, "A sentence that goes on. " * 250)
    (review,) = (await tend_memory(either)).reviews
    version = (await either.ledger.entry(review.entry_id)).version
    done = await decide_review(either, review.id, "declined", OWNER, INTENT)
    assert done.entry is not None
    assert (done.entry.version, done.entry.spared_until, done.review.again_at) == (version, SPARED, SPARED)
    assert {each.spared_until for each in await either.ledger.entry_pieces(pieces[1].id)} == {SPARED}
    await set_forgetting(either, TOLD, OWNER, INTENT)
    assert await gone(either) == []
    either.clock.advance(90 * DAY_MS)
    assert await gone(either) == [pieces[0].id]


@requirement("MEM-005-5.2-left-alone")
async def test_a_text_of_which_a_piece_was_brought_back_is_left_alone_as_one(either):
    await set_forgetting(either, TOLD, OWNER, INTENT)
    pieces = await tell(either, "A sentence that goes on. " * 250)
    await tend_memory(either)
    back = await restored(either, pieces[1])
    assert {piece.spared_until for piece in back} == {SPARED}
    assert await gone(either) == []


@requirement("MEM-005-5.3-dry-run")
async def test_a_preview_lists_nothing_that_is_left_alone(either):
    entry = await by_a_rule(either)
    await tend_memory(either)
    await restored(either, entry)
    assert (await preview_forgetting(either, OWNER)).page.total == 0
    assert (await preview_forgetting(either, OWNER, as_of=SPARED)).page.total == 1


async def test_what_is_left_alone_goes_by_hand_all_the_same(either):
    entry = await by_a_rule(either)
    await tend_memory(either)
    await restored(either, entry)
    request = ForgetRequest(EntryFilter(type="todo"), dry_run=False, expected=1)
    assert (await forget_memory(either, request, OWNER, INTENT)).ids == (entry.id,)


async def test_the_outlook_of_what_is_left_alone_says_until_when(either):
    entry = await by_its_time(either)
    await tend_memory(either)
    (back,) = await restored(either, entry)
    told = (await show_outlook(either, back, LevelNames()))["next_move"]
    assert told == {"to": "deleted", "at": SPARED, "because": "ttl"}


async def test_an_edit_leaves_it_spared_and_idleness_lowers_it_as_ever(either):
    entry = await remember(either, "x", level="hot", type="todo")
    await set_forgetting(either, TODOS, OWNER, INTENT)
    await tend_memory(either)
    await restored(either, entry)
    either.clock.advance(30 * DAY_MS)
    assert [move.step for move in (await tend_memory(either)).moves] == ["hot_idle"]
    assert (await either.ledger.entry(entry.id)).spared_until == SPARED


@requirement("MEM-005-5.2-left-alone", "MEM-005-5.3-actions")
async def test_an_editor_does_not_escape_the_rules_of_the_owner_by_restoring(either):
    draft = draft_from_json({"content": "kept", "type": "todo"}, NOW, LevelNames())
    (kept,) = await write_memory(either, (MemoryRequest(draft),), EDITOR, INTENT)
    assert isinstance(kept, Kept)
    await set_forgetting(either, TODOS, OWNER, INTENT)
    await delete_memory(either, kept.entry.id, EDITOR, INTENT)
    for _ in range(2):
        (back,) = await restore_memory(either, kept.entry.id, EDITOR, INTENT)
        assert (back.deleted_at, back.spared_until) == (0, 0)
        assert await gone(either) == [kept.entry.id]
        either.clock.advance(1)
    (back,) = await restore_memory(either, kept.entry.id, OWNER, INTENT)
    assert back.spared_until == either.clock.now() + 90 * DAY_MS


@requirement("MEM-005-5.5-human-only", "MEM-003-3.1-restore")
@pytest.mark.parametrize("answer", [None, "declined"])
async def test_what_a_person_is_asked_whether_to_clear_or_did_not_let_go_can_be_restored(either, answer):
    await set_forgetting(either, TOLD, OWNER, INTENT)
    pieces = await tell(either, "A sentence that goes on. " * 250)
    await tend_memory(either)
    await set_forgetting(either, {"human_only": True}, OWNER, INTENT)
    either.clock.advance(31 * DAY_MS)
    (review,) = (await tend_memory(either)).reviews
    assert review.kind == "clear"
    if answer:
        await decide_review(either, review.id, answer, OWNER, INTENT)
        either.clock.advance(400 * DAY_MS)
    back = await restore_memory(either, pieces[1].id, OWNER, INTENT)
    assert [piece.deleted_at for piece in back] == [0] * len(pieces)
    if not answer:
        assert (await decide_review(either, review.id, "approved", OWNER, INTENT)).review.verdict == "stale"
        assert (await either.ledger.entry(pieces[0].id)).deleted_at == 0
