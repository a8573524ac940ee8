from __future__ import annotations

import pytest

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.lifetime import next_down, outlived, outlived_at
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.requirements import requirement

POLICY = TierPolicy()


@requirement("MEM-005-5.1-warm-ttl")
@pytest.mark.parametrize("ttl,over", [(DAY_MS, True), (2 * DAY_MS, True), (2 * DAY_MS + 1, False), (0, False)])
def test_a_warm_memory_outlives_its_time_to_live_counted_from_its_timestamp(ttl, over):
    assert outlived(aged("warm", timestamp=NOW - 2 * DAY_MS, ttl=ttl), NOW, POLICY) is over


@requirement("MEM-005-5.1-warm-ttl")
def test_a_use_does_not_prolong_a_time_to_live():
    assert outlived(aged("warm", used=(0,), timestamp=NOW - DAY_MS, ttl=DAY_MS), NOW, POLICY)


@requirement("MEM-005-5.1-cold-ttl")
@pytest.mark.parametrize("ttl,over", [(DAY_MS, True), (DAY_MS + 1, False), (0, False)])
def test_a_cold_memory_outlives_its_time_to_live(ttl, over):
    assert outlived(aged("cold", unused=1, ttl=ttl), NOW, POLICY) is over


@requirement("MEM-005-5.1-cold-ttl")
def test_a_home_that_keeps_cold_for_ever_has_no_time_to_live_there():
    policy = TierPolicy(cold_evicts=False, cold_ttl_ms=1)
    assert not outlived(aged("cold", unused=900, ttl=1), NOW, policy)
    assert outlived(aged("warm", unused=900, ttl=1), NOW, policy)


@requirement("MEM-005-5.1-cold-ttl")
@pytest.mark.parametrize("unused,over", [(9, False), (10, True)])
def test_the_time_a_home_gives_to_cold_memories_runs_from_their_latest_use(unused, over):
    policy = TierPolicy(cold_ttl_ms=10 * DAY_MS)
    assert outlived(aged("cold", unused=unused, timestamp=1), NOW, policy) is over
    assert not outlived(aged("warm", unused=unused, timestamp=1), NOW, policy)


def test_of_two_times_the_one_that_ends_first_counts():
    policy = TierPolicy(cold_ttl_ms=10 * DAY_MS)
    entry = aged("cold", timestamp=NOW, ttl=3 * DAY_MS)
    assert outlived_at(entry, policy) == NOW + 3 * DAY_MS
    assert outlived_at(aged("cold", timestamp=NOW, ttl=30 * DAY_MS), policy) == NOW + 10 * DAY_MS


@requirement("MEM-005-5.1-hot-lru")
def test_a_hot_memory_never_outlives_its_time_to_live():
    assert not outlived(aged("hot", unused=900, ttl=1), NOW, POLICY)


@requirement("MEM-005-5.1-one-tier")
def test_an_eviction_goes_one_tier_down_and_from_cold_out():
    assert [next_down(level) for level in Level] == [Level.WARM, Level.COLD, "deleted"]
