from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.promotion import (
    TOKEN_LENGTH,
    first_uses,
    frequency_factor,
    promotes,
    rises_from_cold,
    rising_score,
    rising_since,
    rising_uses,
    score,
    sinks,
    time_factor,
    token,
    uses,
    weight_of_use,
    with_uses,
)
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.aged_memories import NOW, aged, aged_memories, policies
from csbond_tests.requirements import requirement

POLICY = TierPolicy()
LITERAL = TierPolicy(formula="literal")
WEEK = 7 * DAY_MS


# Uses, as they are kept


def test_a_use_is_sixteen_characters_of_time_and_weight():
    assert token(NOW) == "180000000000099;"
    assert token(7, 0.5) == "000000000000750;"


def test_the_latest_sixteen_uses_are_kept():
    recent = with_uses("", [token(at) for at in range(20)])
    assert recent == "".join(token(at) for at in range(4, 20))
    assert with_uses(recent, [token(99)]) == recent[16:] + token(99)


def test_uses_are_counted_by_their_weight_within_the_time():
    recent = token(100) + token(200, 1 / 3) + token(300)
    assert uses(recent, 300, 100) == pytest.approx(4 / 3)
    assert uses(recent, 300, 99) == 1
    assert uses(recent, 300, 200) == pytest.approx(7 / 3)
    assert uses("", 300, 200) == 0


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(0, 60), st.integers(0, 60))
def test_single_uses_are_counted_exactly_as_far_as_they_are_kept(times, now, within):
    recent = ""
    for at in sorted(times):
        recent = with_uses(recent, [token(at)])
    assert len(recent) == 16 * min(len(times), 16)
    assert uses(recent, now, within) == sum(at >= now - within for at in sorted(times)[-16:])


@pytest.mark.parametrize(
    "last,count,begins",
    [
        (0, 0, (NOW, "")),
        (NOW - 5, 2, (NOW - 5, token(NOW - 5) * 2)),
        (NOW + 1, 1, (NOW, token(NOW))),
        (5, 400, (5, token(5) * 16)),
    ],
)
def test_an_entry_begins_with_the_uses_it_brings(last, count, begins):
    assert first_uses(last, count, NOW) == begins


@requirement("MEM-004-4.4-rhythm")
@pytest.mark.parametrize("since,weight", [(0, 0.0), (15, 0.25), (60, 1.0), (600, 1.0), (-5, 0.0)])
def test_a_use_counts_by_its_share_of_the_rhythm(since, weight):
    assert weight_of_use(NOW, NOW + since, 60) == weight


@requirement("MEM-004-4.4-rhythm")
def test_without_a_rhythm_and_without_a_use_before_it_a_use_counts_whole():
    assert weight_of_use(NOW, NOW, 0) == 1
    assert weight_of_use(0, NOW, 60) == 1


@requirement("MEM-004-4.4-rhythm")
def test_three_uses_in_a_hurry_promote_without_a_rhythm_and_not_with_one():
    def recent(rhythm):
        times = [0, NOW - 120_000, NOW - 60_000, NOW]
        return "".join(token(at, weight_of_use(last, at, rhythm)) for last, at in pairwise(times))

    hurried = aged("warm", used_at=NOW)
    assert promotes(replace(hurried, recent=recent(0)), NOW, POLICY)
    assert not promotes(replace(hurried, recent=recent(DAY_MS)), NOW, POLICY)


# The factors and the score


@requirement("MEM-004-4.1-frequency")
@pytest.mark.parametrize("n,factor", [(0, 0.0), (1.5, 0.5), (3, 1.0), (30, 1.0)])
def test_the_frequency_factor_is_uses_over_their_threshold_at_most_1(n, factor):
    assert frequency_factor(n, 3) == factor


@requirement("MEM-004-4.1-time")
@pytest.mark.parametrize("since,published", [(0, 0.0), (25, 0.25), (100, 1.0), (900, 1.0), (-9, 0.0)])
def test_the_time_factor_is_as_published_for_sinking_and_the_rest_of_1_for_rising(since, published):
    assert time_factor(since, 100, rising=False) == published
    assert time_factor(since, 100, rising=True) == 1 - published
    assert time_factor(since, 100, rising=True, formula="literal") == published


def test_a_threshold_of_no_time_has_always_passed():
    assert time_factor(0, 0, rising=False) == 1
    assert sinks(aged("hot"), NOW, TierPolicy(hot_idle_ms=0))


@requirement("MEM-004-4.1-score")
def test_the_score_weighs_frequency_by_7_and_time_by_3_tenths():
    assert score(1, 0, POLICY) == 0.7
    assert score(0, 1, POLICY) == 0.3
    assert score(0.5, 0.5, POLICY) == 0.5


@requirement("MEM-004-4.1-score")
def test_the_weights_are_settings():
    assert score(0.5, 0.25, TierPolicy(alpha=0.2, beta=0.8)) == pytest.approx(0.3)


@requirement("MEM-004-4.1-score", "MEM-004-4.1-time")
def test_the_score_of_a_memory_falls_with_the_days_it_is_not_used():
    scores = [rising_score(aged("warm", used=(d, d, d)), NOW, POLICY) for d in (0, 2, 7)]
    assert scores == pytest.approx([1.0, 0.7 + 0.3 * 5 / 7, 0.7])


# Rising


@requirement("MEM-004-4.2-warm-hot")
@pytest.mark.parametrize(
    "used,rises",
    [
        ((0, 0, 0), True),
        ((1, 3, 7), True),
        ((7, 7, 7), True),
        ((0, 0), False),
        ((0, 0, 7.1), False),
        ((0, 8, 8, 8, 8), False),
        ((8, 8, 8), False),
        ((), False),
    ],
)
def test_a_warm_memory_becomes_hot_after_three_uses_within_seven_days(used, rises):
    assert promotes(aged("warm", used=used), NOW, POLICY) is rises


@requirement("MEM-004-4.2-warm-hot")
@pytest.mark.parametrize("level", ["hot", "cold"])
def test_only_a_warm_memory_becomes_hot_by_its_uses(level):
    assert not promotes(aged(level, used=(0, 0, 0)), NOW, POLICY)


@requirement("MEM-004-4.2-thresholds")
def test_how_many_uses_in_how_many_days_and_which_score_are_settings():
    twice = aged("warm", used=(0, 9))
    assert promotes(twice, NOW, TierPolicy(promote_uses=2, promote_within_ms=9 * DAY_MS))
    assert not promotes(twice, NOW, TierPolicy(promote_uses=2, promote_within_ms=8 * DAY_MS))
    stale = aged("warm", used=(6, 6, 6))
    assert not promotes(stale, NOW, TierPolicy(promote_score=0.8))
    assert promotes(aged("warm", used=(1, 6, 6)), NOW, TierPolicy(promote_score=0.8))


@requirement("MEM-004-4.1-literal")
@pytest.mark.parametrize(
    "count,unused,rises",
    [(3, 0, True), (2, 0, False), (2, 5, False), (2, 5.5, True), (1, 7, False), (0, 20, False), (3, 29.9, True)],
)
def test_the_literal_formula_counts_every_use_and_rewards_waiting_as_it_is_written(count, unused, rises):
    entry = aged("warm", unused=unused, access_count=count)
    assert rising_score(entry, NOW, LITERAL) == pytest.approx(0.7 * min(count / 3, 1) + 0.3 * min(unused / 7, 1))
    assert promotes(entry, NOW, LITERAL) is rises


@requirement("MEM-004-4.1-literal")
def test_what_hot_would_let_sink_again_does_not_rise_by_the_literal_formula():
    assert not promotes(aged("warm", unused=30, access_count=9), NOW, LITERAL)


@requirement("MEM-004-4.2-cold-warm")
def test_a_cold_memory_found_by_meaning_rises_where_the_home_lets_it():
    found = TierPolicy(cold_rises="found")
    assert rises_from_cold(aged("cold"), NOW, found)
    assert not rises_from_cold(aged("cold"), NOW, POLICY)
    assert not rises_from_cold(aged("cold"), 0, found)
    assert not rises_from_cold(aged("warm"), NOW, found)


# Sinking


@requirement("MEM-004-4.2-hot-warm")
@pytest.mark.parametrize("unused,sinking", [(0, False), (29.99, False), (30, True), (400, True)])
def test_a_hot_memory_sinks_after_30_days_without_a_use(unused, sinking):
    assert sinks(aged("hot", unused=unused), NOW, POLICY) is sinking


@requirement("MEM-004-4.2-warm-cold")
@pytest.mark.parametrize("unused,sinking", [(0, False), (30, False), (89.99, False), (90, True)])
def test_a_warm_memory_sinks_after_90_days_without_a_use(unused, sinking):
    assert sinks(aged("warm", unused=unused), NOW, POLICY) is sinking


def test_a_cold_memory_does_not_sink_by_idleness():
    assert not sinks(aged("cold", unused=4000), NOW, POLICY)


@requirement("MEM-004-4.2-thresholds")
def test_how_long_a_tier_keeps_an_unused_memory_is_a_setting():
    policy = TierPolicy(hot_idle_ms=DAY_MS, warm_idle_ms=2 * DAY_MS)
    assert sinks(aged("hot", unused=1), NOW, policy)
    assert not sinks(aged("warm", unused=1), NOW, policy)
    assert sinks(aged("warm", unused=2), NOW, policy)


@requirement("MEM-004-4.2-pinned")
def test_a_pinned_memory_stays_in_its_tier_whatever_its_uses():
    assert not sinks(aged("hot", unused=400, tags=("pinned",)), NOW, POLICY)
    assert not sinks(aged("warm", unused=400, tags=("pinned",)), NOW, POLICY)
    assert not promotes(aged("warm", used=(0, 0, 0), tags=("pinned",)), NOW, POLICY)
    assert not promotes(aged("warm", access_count=9, tags=("pinned",)), NOW, LITERAL)
    assert not rises_from_cold(aged("cold", tags=("pinned",)), NOW, TierPolicy(cold_rises="found"))


@pytest.mark.parametrize(
    "policy,days",
    [(POLICY, 7), (LITERAL, 30), (TierPolicy(hot_idle_ms=5 * DAY_MS), 5)],
)
def test_nothing_older_than_this_rises(policy, days):
    # What was unused for so long that hot would let it sink does not rise; seven days themselves are within seven days.
    since = rising_since(NOW, policy)
    assert since == NOW - days * DAY_MS + (days != 7)
    assert promotes(aged("warm", used_at=since, recent=token(since) * 3, access_count=3), NOW, policy)
    assert not promotes(aged("warm", used_at=since - 1, recent=token(since - 1) * 3, access_count=3), NOW, policy)


@given(aged_memories(), policies, st.integers(60, 90))
def test_what_rises_was_used_lately_enough_to_be_looked_at_and_does_not_sink_at_once(entry, policy, now):
    if promotes(entry, now, policy):
        assert entry.used_at >= rising_since(now, policy)
        assert len(entry.recent) >= TOKEN_LENGTH * rising_uses(policy)
        assert not sinks(replace(entry, level=Level.HOT), now, policy)
