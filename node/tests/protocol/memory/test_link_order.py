from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory import link_order
from csbond.protocol.memory.link_order import Walk, WalkTooLong, leads_to, reach_along, walk_of
from csbond_tests.requirements import requirement

EDGES = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=20)


def closure(edges, start):
    """All that follows a memory, step by step until nothing is new."""
    reached, before = {end for first, end in edges if first == start}, None
    while reached != before:
        before = set(reached)
        reached |= {end for first, end in edges if first in reached}
    return reached


def chain(length):
    return list(pairwise(f"n{number}" for number in range(length + 1)))


@requirement("MEM-001-1.5-cycle")
@pytest.mark.parametrize(
    "edges, leads",
    [
        ([], False),
        (["ab"], False),
        (["ba", "zb"], False),
        (["az"], True),
        (["ab", "bc", "cz", "zd"], True),
        (["ab", "ba"], False),
    ],
)
def test_an_order_leads_to_what_follows_step_by_step(edges, leads):
    assert leads_to({"a"}, {"z"}, reach_along(map(tuple, edges)), Walk()) is leads


def test_every_memory_leads_to_itself():
    assert leads_to({"a"}, {"a"}, reach_along([]), Walk())


@requirement("MEM-001-1.5-cycle")
@given(EDGES, st.sets(st.sampled_from("abc"), min_size=1), st.sets(st.sampled_from("cdef"), min_size=1))
def test_an_order_leads_from_some_memories_to_others_when_the_closure_of_one_holds_another(edges, starts, ends):
    reached = starts.union(*(closure(edges, start) for start in starts))
    for back_first in (False, True):
        leads = leads_to(starts, ends, reach_along(edges), Walk(), back_first=back_first)
        assert leads is not reached.isdisjoint(ends)


@pytest.mark.parametrize("start, end, back_first", [("n0", "x", False), ("n1000", "x", True), ("x", "n500", True)])
def test_one_look_tells_of_what_leads_nowhere_however_long_the_other_side_is(start, end, back_first):
    walk = Walk(18)
    assert leads_to({start}, {end}, reach_along(chain(1_000)), walk, back_first=back_first) is False


@pytest.mark.parametrize("back_first", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_the_smaller_side_decides_whatever_crowd_is_on_the_other(back_first, turned):
    crowd = [("hub", f"x{number}") for number in range(5_000)] + chain(30)
    start, end = "hub", "n30"
    if turned:
        crowd, start, end = [(second, first) for first, second in crowd], end, start
    walk = Walk()
    assert leads_to({start}, {end}, reach_along(crowd), walk, back_first=back_first) is False
    assert walk.left >= link_order.WALK_MAX - 200


def test_beyond_the_bound_nobody_can_tell():
    edges = [(first, second) for first, second in chain(200) if first != "n100"]
    assert leads_to({"n101"}, {"n100"}, reach_along(edges), Walk(500)) is False
    with pytest.raises(WalkTooLong):
        leads_to({"n101"}, {"n100"}, reach_along(edges), Walk(160))


def test_a_look_is_given_no_more_than_the_walk_has_left():
    asked = []

    def reach(nodes, back, most):
        asked.append(most)
        return [*nodes, *(f"{back}{number}" for number in range(most - 1))]

    with pytest.raises(WalkTooLong):
        leads_to({"a"}, {"z"}, reach, Walk(100))
    assert asked == [16, 16, 64, 4]


def test_of_one_memory_more_is_looked_at_than_of_each_of_many():
    assert walk_of(1).left == link_order.WALK_MAX
    assert walk_of(100).left == link_order.WALK_LEAST
    assert 100 * link_order.WALK_LEAST <= 10 * link_order.WALK_MAX
