from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.note_use import note_use
from csbond.flows.review_memory import decide_review, list_reviews
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import tend_memory
from csbond.flows.write_memory import commit_memory, entry_writes
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
HUMAN_ONLY = {"human_only": True, "rules": [{"name": "todos", "match": {"type": "todo"}, "action": "soft_delete"}]}


@pytest.fixture
async def asking(either):
    """A home where nothing is forgotten and no decision lowered without a person's yes."""
    await set_forgetting(either, HUMAN_ONLY, OWNER, INTENT)
    return replace(either, tiers=TierPolicy(review_decisions=True))


async def asked(world, content, **fields):
    """A memory and the question that tending asks about it."""
    entry = await remember(world, content, **fields)
    (review,) = (await tend_memory(world)).reviews
    assert review.entry_id == entry.id
    return entry, review


async def waiting(world):
    return [row.review.id for row in (await list_reviews(world, OWNER)).rows]


async def answered(world, review, answer="approved"):
    return await decide_review(world, review.id, answer, OWNER, INTENT)


async def fault_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name


@requirement("MEM-005-5.5-queue")
async def test_what_waits_for_a_person_is_listed_once_with_its_memory(asking):
    entry, review = await asked(asking, "todo", type="todo")
    assert (await tend_memory(asking)).reviews == ()
    (row,) = (await list_reviews(asking, OWNER)).rows
    assert (row.review, row.entry, row.is_stale) == (review, entry, False)
    assert (review.kind, review.reason) == ("delete", "the rule todos says so")
    assert (await asking.ledger.entry(entry.id)).deleted_at == 0


@requirement("MEM-005-5.5-queue")
async def test_what_is_approved_is_done_as_by_the_person_and_waits_no_more(asking):
    entry, review = await asked(asking, "todo", type="todo")
    asking.clock.advance(1000)
    done = await answered(asking, review)
    assert (done.review.verdict, done.review.decided_by, done.review.decided_at) == ("approved", "owner", NOW + 1000)
    assert (done.entry.deleted_at, done.entry.deleted_by, done.entry.deleter) == (NOW + 1000, "manual", "owner")
    assert await waiting(asking) == []
    assert await asking.ledger.review(review.id) == done.review
    assert done.entry.id == entry.id


@requirement("MEM-005-5.4-every-eviction", "MEM-005-5.4-same-transaction")
async def test_the_answer_the_move_and_their_records_are_one_change(asking):
    entry, review = await asked(asking, "todo", type="todo")
    await answered(asking, review)
    answer, eviction = asking.ledger.changes[-1].audit
    assert (answer.type, answer.intent, answer.target) == ("memory_review", INTENT, entry.id)
    assert answer.details == {
        "review": review.id,
        "kind": "delete",
        "verdict": "approved",
        "to": "deleted",
        "trigger": "rule",
        "rule": "todos",
        "step": "rules",
    }
    assert (eviction.type, eviction.details["trigger"]) == ("memory_delete", "manual")
    assert eviction.details["rule_name"] == "todos"


@requirement("MEM-005-5.5-queue")
async def test_what_is_declined_stays_and_is_not_asked_again_for_ninety_days(asking):
    entry, review = await asked(asking, "todo", type="todo")
    done = await answered(asking, review, "declined")
    assert (done.review.verdict, replace(done.entry, spared_until=0)) == ("declined", entry)
    assert await waiting(asking) == []
    asking.clock.advance(90 * DAY_MS - 1)
    assert (await tend_memory(asking)).reviews == ()
    asking.clock.advance(1)
    (again,) = (await tend_memory(asking)).reviews
    assert again.entry_id == entry.id
    assert again.id != review.id


async def test_how_long_it_is_not_asked_again_is_a_setting(asking):
    world = replace(asking, review_again_ms=DAY_MS)
    _, review = await asked(world, "todo", type="todo")
    assert (await answered(world, review, "declined")).review.again_at == NOW + DAY_MS


@requirement("MEM-005-5.5-queue")
async def test_the_same_answer_again_changes_nothing_and_another_one_is_refused(asking):
    _, review = await asked(asking, "todo", type="todo")
    first = await answered(asking, review)
    changes = len(asking.ledger.changes)
    assert await answered(asking, review) == first
    assert await fault_of(answered(asking, review, "declined")) == "version_conflict"
    assert len(asking.ledger.changes) == changes


@requirement("MEM-005-5.5-queue")
async def test_of_two_different_answers_at_the_same_time_one_counts(asking):
    entry, review = await asked(asking, "todo", type="todo")
    answers = [answered(asking, review, each) for each in ("approved", "declined")]
    outcomes = await asyncio.gather(*answers, return_exceptions=True)
    (refused,) = [outcome for outcome in outcomes if isinstance(outcome, CsbError)]
    assert refused.code.name == "version_conflict"
    (done,) = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    assert bool((await asking.ledger.entry(entry.id)).deleted_at) is (done.review.verdict == "approved")


async def edited(world, entry):
    await edit_memory(world, entry.id, {"content": "another"}, LevelNames(), caller=OWNER, intent=INTENT)


async def deleted(world, entry):
    await delete_memory(world, entry.id, OWNER, INTENT)


async def erased(world, entry):
    await erase_memory(world, entry.id, OWNER, INTENT)


@requirement("MEM-005-5.5-queue")
@pytest.mark.parametrize("answer", ["approved", "declined"])
@pytest.mark.parametrize("changed", [edited, deleted, erased])
async def test_a_question_about_what_a_memory_was_before_is_closed_and_nothing_done(asking, changed, answer):
    entry, review = await asked(asking, "todo", type="todo")
    await changed(asking, entry)
    before = await asking.ledger.entry(entry.id)
    (row,) = (await list_reviews(asking, OWNER)).rows
    assert row.is_stale
    done = await answered(asking, review, answer)
    assert (done.review.verdict, done.review.again_at, done.entry) == ("stale", 0, before)
    assert await waiting(asking) == []
    (record,) = asking.ledger.changes[-1].audit
    assert (record.type, record.details["verdict"]) == ("memory_review", "stale")


@requirement("MEM-004-4.4-review")
async def test_a_decision_is_lowered_after_a_yes(asking):
    entry = await remember(asking, "We paint it blue.", type="decision", level="hot")
    asking.clock.advance(31 * DAY_MS)
    (review,) = (await tend_memory(asking)).reviews
    assert (review.kind, (await asking.ledger.entry(entry.id)).level) == ("lower", "hot")
    done = await answered(asking, review)
    assert (done.entry.level, done.entry.version) == ("warm", 2)


@requirement("MEM-005-5.5-human-only")
async def test_what_a_rule_deleted_before_is_cleared_after_a_yes(either, monkeypatch):
    await set_forgetting(either, HUMAN_ONLY | {"human_only": False}, OWNER, INTENT)
    entry = await remember(either, "todo", type="todo")
    await tend_memory(either)
    await set_forgetting(either, HUMAN_ONLY, OWNER, INTENT)
    either.clock.advance(30 * DAY_MS)
    (review,) = (await tend_memory(either)).reviews
    assert (review.kind, (await either.ledger.entry(entry.id)).deleted_by) == ("clear", "rule")
    asked_for: list[bool] = []
    erase_traces = either.ledger.erase_traces

    async def noted():
        asked_for.append(await erase_traces())
        return asked_for[-1]

    monkeypatch.setattr(either.ledger, "erase_traces", noted, raising=False)
    done = await answered(either, review)
    assert (done.review.verdict, done.entry, asked_for) == ("approved", None, [True])
    record = await either.ledger.archived(entry.id)
    assert (record.operator, record.trigger) == ("owner", "rule")
    assert await waiting(either) == []


TOLD = {"name": "told", "match": {"source": "session"}, "action": "soft_delete"}


async def asked_about_a_text(asking):
    await set_forgetting(asking, {"human_only": True, "rules": [TOLD]}, OWNER, INTENT)
    pieces = await tell(asking, "A sentence that goes on. " * 250)
    (review,) = (await tend_memory(asking)).reviews
    assert (review.entry_id, len(pieces) > 2) == (pieces[0].id, True)
    return pieces, review


async def test_one_yes_deletes_all_pieces_of_a_text(asking):
    pieces, review = await asked_about_a_text(asking)
    await answered(asking, review)
    text = await asking.ledger.entry_pieces(pieces[0].id)
    assert {piece.deleted_at for piece in text} == {NOW}
    assert await waiting(asking) == []


async def test_a_piece_that_was_deleted_before_stays_as_it_was_deleted(asking):
    pieces, review = await asked_about_a_text(asking)
    gone = replace(pieces[2], deleted_at=NOW - 1, deleted_by="system", version=2)
    await commit_memory(asking, entry_writes((gone,)))
    await answered(asking, review)
    kept = await asking.ledger.entry(gone.id)
    assert (kept.deleted_at, kept.deleted_by, kept.version) == (NOW - 1, "system", 2)


async def test_one_no_keeps_all_pieces_of_a_text(asking):
    pieces, review = await asked_about_a_text(asking)
    await answered(asking, review, "declined")
    assert await waiting(asking) == []
    assert (await tend_memory(asking)).reviews == ()
    assert {piece.deleted_at for piece in await asking.ledger.entry_pieces(pieces[0].id)} == {0}


async def test_uses_that_wait_do_not_undo_what_a_person_approved(asking):
    world: Any = small_world(asking.ledger, clock=asking.clock, tiers=TierPolicy(review_decisions=True))
    decision = await remember(world, "We take the blue one.", type="decision", level="hot")
    now = world.clock.advance(30 * DAY_MS)
    (review,) = (await tend_memory(world)).reviews
    note_use(world, [decision] * 3)
    assert (await answered(world, review)).entry.level == "warm"
    assert (await tend_memory(world)).moves == ()
    entry = await world.ledger.entry(decision.id)
    assert (entry.recent, entry.access_count, entry.used_at) == ("", 3, now)


async def test_reviews_are_listed_by_whether_they_wait_page_by_page(asking):
    _, first = await asked(asking, "todo 1", type="todo")
    asking.clock.advance(1000)
    _, second = await asked(asking, "todo 2", type="todo")
    page = await list_reviews(asking, OWNER, "", limit=1)
    rest = await list_reviews(asking, OWNER, "", position_of(page.next_cursor), limit=1)
    assert [row.review.id for row in page.rows + rest.rows] == [second.id, first.id]
    await answered(asking, first, "declined")
    assert await waiting(asking) == [second.id]
    assert [row.review.id for row in (await list_reviews(asking, OWNER, "decided")).rows] == [first.id]


async def test_an_unknown_review_is_not_found(world):
    assert await fault_of(decide_review(world, "review_1_nobody", "approved", OWNER, INTENT)) == "review_not_found"


@pytest.mark.parametrize("caller", [EDITOR, ANONYMOUS])
async def test_reviews_are_the_owners(world, caller):
    assert await fault_of(list_reviews(world, caller)) == "forbidden"
    assert await fault_of(decide_review(world, "review_1_a", "approved", caller, INTENT)) == "forbidden"
