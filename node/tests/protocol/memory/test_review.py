from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.errors import Refused
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.review import (
    REVIEW_AGAIN_MS,
    Review,
    approved_move,
    asked,
    decided,
    is_stale,
    keeps_back,
    kind_of,
    may_ask,
    needs_review,
)
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.requirements import requirement

FREE, HUMAN_ONLY = ForgettingPolicy(), ForgettingPolicy(human_only=True)
CARELESS, CAREFUL = TierPolicy(), TierPolicy(review_decisions=True)
COLD, DECISION = aged("cold"), aged("warm", type="decision")


@requirement("MEM-005-5.5-human-only")
@pytest.mark.parametrize(
    "move",
    [
        Move(COLD, "deleted", "ttl", step="cold_ttl"),
        Move(aged("hot"), "deleted", "rule", "Old", "rules"),
        Move(aged("warm", deleted_at=1, deleted_by="rule"), "erased", "system", step="clear"),
        Move(aged("cold", deleted_at=1, deleted_by="ttl"), "erased", "system", step="clear"),
    ],
)
def test_in_human_only_mode_what_would_be_deleted_or_cleared_waits_for_a_person(move):
    assert needs_review(move, CARELESS, HUMAN_ONLY)
    assert not needs_review(move, CARELESS, FREE)


@requirement("MEM-005-5.5-human-only")
@pytest.mark.parametrize(
    "move",
    [
        Move(aged("warm"), Level.COLD, "ttl"),
        Move(aged("hot"), Level.WARM, "lru"),
        Move(aged("warm"), Level.COLD, "rule", "Old"),
        Move(COLD, "deleted", "manual"),
        Move(COLD, "erased", "manual"),
    ],
)
def test_in_human_only_mode_sinking_and_what_a_person_does_wait_for_nobody(move):
    assert not needs_review(move, CARELESS, HUMAN_ONLY)


@requirement("MEM-005-5.5-human-only")
@pytest.mark.parametrize("by", ["manual", "review", ""])
def test_clearing_what_a_person_deleted_waits_for_nobody(by):
    assert not needs_review(Move(aged(deleted_at=1, deleted_by=by), "erased", "system"), CARELESS, HUMAN_ONLY)
    deleted = aged(type="decision", deleted_at=1, deleted_by=by)
    assert not needs_review(Move(deleted, "erased", "system"), CAREFUL, FREE)


@requirement("MEM-004-4.4-review")
@pytest.mark.parametrize(
    "to,trigger", [(Level.COLD, "ttl"), (Level.COLD, "lru"), (Level.COLD, "rule"), ("deleted", "rule")]
)
def test_a_decision_is_not_lowered_before_a_person_said_yes(to, trigger):
    assert needs_review(Move(DECISION, to, trigger), CAREFUL, FREE)
    assert not needs_review(Move(DECISION, to, trigger), CARELESS, FREE)
    assert not needs_review(Move(replace(DECISION, type="lesson"), to, trigger), CAREFUL, FREE)


@requirement("MEM-004-4.4-review")
def test_a_decision_rises_and_is_lowered_by_a_person_without_a_question():
    assert not needs_review(Move(DECISION, Level.HOT, "system"), CAREFUL, FREE)
    assert not needs_review(Move(DECISION, Level.COLD, "manual"), CAREFUL, FREE)


@pytest.mark.parametrize(
    "to,kind", [(Level.COLD, "lower"), (Level.WARM, "lower"), ("deleted", "delete"), ("erased", "clear")]
)
def test_a_question_and_its_yes_are_about_the_same_move_now_done_by_a_person(to, kind):
    move = Move(aged("hot", version=3), to, "rule", "Old", "rules")
    review = asked(move, "rev_1", "a rule says so", NOW)
    assert review == Review(
        "rev_1",
        "mem_1_a",
        3,
        kind,
        {"to": str(to), "trigger": "rule", "rule": "Old", "step": "rules"},
        "a rule says so",
        NOW,
    )
    assert kind_of(move) == kind
    assert approved_move(review, move.entry) == replace(move, trigger="manual")
    assert type(review.proposed["to"]) is str


QUESTION = asked(Move(COLD, "deleted", "ttl"), "rev_1", "its time has passed", NOW)


@requirement("MEM-005-5.5-queue")
def test_what_waits_is_not_asked_twice():
    assert may_ask(None, NOW)
    assert not may_ask(QUESTION, NOW + 900 * DAY_MS)


@requirement("MEM-005-5.5-queue")
def test_what_was_declined_is_not_asked_again_for_90_days():
    declined = decided(QUESTION, "declined", "owner", NOW)
    assert (declined.verdict, declined.decided_by, declined.decided_at) == ("declined", "owner", NOW)
    assert not may_ask(declined, NOW + REVIEW_AGAIN_MS - 1)
    assert may_ask(declined, NOW + 90 * DAY_MS)


@requirement("MEM-005-5.5-queue")
def test_how_long_what_was_declined_rests_is_a_setting():
    assert may_ask(decided(QUESTION, "declined", "owner", NOW, DAY_MS), NOW + DAY_MS)


@requirement("MEM-005-5.5-queue")
@pytest.mark.parametrize("verdict", ["approved", "stale"])
def test_what_was_approved_or_went_stale_may_be_asked_anew(verdict):
    assert may_ask(decided(QUESTION, verdict, "owner", NOW), NOW)


@requirement("MEM-005-5.5-queue")
@pytest.mark.parametrize("first", ["approved", "declined", "stale"])
def test_a_question_is_decided_once(first):
    review = decided(QUESTION, first, "owner", NOW)
    with pytest.raises(Refused) as refusal:
        decided(review, "approved", "owner", NOW + 1)
    assert refusal.value.code.name == "version_conflict"
    assert first in refusal.value.reason


def test_a_memory_that_changed_or_went_is_not_the_one_that_was_asked_about():
    assert not is_stale(QUESTION, COLD)
    assert is_stale(QUESTION, replace(COLD, version=2))
    assert is_stale(QUESTION, None)


def test_a_question_about_an_earlier_version_does_not_stop_another():
    entry = aged(version=QUESTION.entry_version)
    assert not may_ask(QUESTION, NOW, entry)
    assert may_ask(QUESTION, NOW, replace(entry, version=entry.version + 1))
    declined = decided(QUESTION, "declined", "owner", NOW)
    assert not may_ask(declined, NOW, replace(entry, version=entry.version + 1))


def test_what_waits_and_what_was_declined_is_kept_back():
    assert keeps_back(QUESTION)
    assert keeps_back(decided(QUESTION, "declined", "owner", NOW))
    assert not keeps_back(decided(QUESTION, "stale", "owner", NOW))
    assert not keeps_back(None)


@requirement("MEM-004-4.4-review", "MEM-005-5.5-human-only")
def test_one_piece_that_needs_a_yes_lets_the_whole_text_wait():
    event = replace(DECISION, type="event")
    assert needs_review(Move(event, Level.COLD, "ttl", pieces=(event, DECISION)), CAREFUL, FREE)
    assert not needs_review(Move(event, Level.COLD, "ttl", pieces=(event,)), CAREFUL, FREE)
    by_hand, by_rule = (aged(deleted_at=1, deleted_by=by) for by in ("manual", "rule"))
    assert needs_review(Move(by_hand, "erased", "system", pieces=(by_rule,)), CARELESS, HUMAN_ONLY)
