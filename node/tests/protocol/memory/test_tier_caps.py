from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.tier_caps import eviction_order, over_cap, stays
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.aged_memories import aged
from csbond_tests.requirements import requirement

POLICY = TierPolicy()


def memories(level, *used_at, letter="a", tags=()):
    return [aged(level, id=f"mem_{at}_{letter}", used_at=at, tags=tags) for at in used_at]


def ids(entries):
    return [entry.id for entry in entries]


@requirement("MEM-001-1.1-hot-cap", "MEM-005-5.1-hot-lru")
def test_of_101_hot_memories_the_least_recently_used_goes():
    members = memories("hot", *range(1, 102))
    assert over_cap(members[:100], (), POLICY.hot_cap, POLICY) == ((), ())
    assert ids(over_cap(members, (), POLICY.hot_cap, POLICY)[0]) == ["mem_1_a"]


@requirement("MEM-001-1.1-warm-cap")
def test_of_201_warm_memories_of_a_project_the_least_recently_used_goes():
    members = memories("warm", *range(201, 0, -1))
    assert over_cap(members[:200], (), POLICY.warm_cap, POLICY) == ((), ())
    assert ids(over_cap(members, (), POLICY.warm_cap, POLICY)[0]) == ["mem_1_a"]


@requirement("MEM-001-1.1-hot-cap")
def test_another_cap_is_kept_as_well():
    assert ids(over_cap(memories("hot", 3, 1, 2), (), 1, POLICY)[0]) == ["mem_1_a", "mem_2_a"]


@requirement("MEM-005-5.1-hot-lru")
def test_of_two_used_at_one_time_the_smaller_id_goes_first():
    members = memories("hot", 7, letter="b") + memories("hot", 7, letter="a")
    assert ids(eviction_order(members)) == ["mem_7_a", "mem_7_b"]
    assert ids(over_cap(members, (), 1, POLICY)[0]) == ["mem_7_a"]


def test_a_candidate_comes_in_where_there_is_room():
    evicted, admitted = over_cap(memories("hot", 5), memories("warm", 1), 2, POLICY)
    assert (ids(evicted), ids(admitted)) == ([], ["mem_1_a"])


def test_a_candidate_used_later_takes_the_place_of_a_member():
    evicted, admitted = over_cap(memories("hot", 1, 9), memories("warm", 5), 2, POLICY)
    assert (ids(evicted), ids(admitted)) == (["mem_1_a"], ["mem_5_a"])


def test_a_candidate_used_before_every_member_stays_where_it_is():
    assert over_cap(memories("hot", 5, 9), memories("warm", 1), 2, POLICY) == ((), ())


def test_a_member_that_asks_to_come_in_is_counted_once():
    members = memories("hot", 1, 2)
    assert over_cap(members, members, 2, POLICY) == ((), ())


@requirement("MEM-004-4.2-pinned")
def test_a_pinned_memory_stays_and_takes_a_place_of_the_cap():
    pinned = memories("hot", 1, tags=("x", "pinned"))
    assert stays(pinned[0], POLICY)
    evicted, admitted = over_cap(pinned + memories("hot", 5, 6), memories("warm", 9), 2, POLICY)
    assert (ids(evicted), ids(admitted)) == (["mem_5_a", "mem_6_a"], ["mem_9_a"])


@requirement("MEM-004-4.2-pinned")
def test_more_pinned_memories_than_the_cap_all_stay():
    pinned = memories("hot", 1, 2, 3, tags=("pinned",))
    evicted, admitted = over_cap(pinned + memories("hot", 8), memories("warm", 9), 2, POLICY)
    assert (ids(evicted), ids(admitted)) == (["mem_8_a"], [])


@requirement("MEM-004-4.2-pinned")
def test_a_pinned_warm_memory_does_not_come_in():
    assert over_cap((), memories("warm", 9, tags=("pinned",)), 2, POLICY) == ((), ())


def test_which_tags_pin_is_a_setting():
    (entry,) = memories("hot", 1, tags=("keep",))
    assert not stays(entry, POLICY)
    assert stays(entry, TierPolicy(pinned_tags=frozenset({"keep"})))


@st.composite
def tiers(draw):
    numbers = draw(st.lists(st.integers(0, 99), unique=True, max_size=14))
    entries = [
        aged("hot", id=f"mem_1_{number:02d}", used_at=draw(st.integers(0, 5)), tags=draw(st.sampled_from(TAGS)))
        for number in numbers
    ]
    cut = draw(st.integers(0, len(entries)))
    return entries[:cut], entries[cut:], draw(st.integers(0, 8))


TAGS = [(), (), (), ("pinned",)]


@requirement("MEM-001-1.1-hot-cap", "MEM-005-5.1-hot-lru")
@given(tiers())
def test_the_cap_is_kept_by_what_was_used_latest_and_the_next_look_finds_nothing(sample):
    members, candidates, cap = sample
    evicted, admitted = over_cap(members, candidates, cap, POLICY)
    inside = [entry for entry in members if entry not in evicted] + list(admitted)
    outside = [entry for entry in candidates if entry not in admitted] + list(evicted)
    pinned = [entry for entry in members if stays(entry, POLICY)]
    assert len(inside) <= max(cap, len(pinned))
    assert set(ids(pinned)) <= set(ids(inside))
    loose = [(entry.used_at, entry.id) for entry in inside if not stays(entry, POLICY)]
    assert all((out.used_at, out.id) < kept for out in evicted for kept in loose)
    asking = [entry for entry in outside if not stays(entry, POLICY)]
    assert len(inside) >= cap or not asking
    assert over_cap(inside, outside, cap, POLICY) == ((), ())
