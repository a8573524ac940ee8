from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.link_order import Walk, WalkTooLong, circle_through, steps_along
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
    "edges, leads_back",
    [
        ([], False),
        (["ab", "bc", "cd"], False),
        (["ab", "ca"], False),
        (["bc", "cb"], False),
        (["aa"], True),
        (["ab", "ba"], True),
        (["ab", "bc", "cd", "da"], True),
    ],
)
def test_an_order_leads_back_to_a_memory_when_what_follows_it_leads_there(edges, leads_back):
    assert bool(circle_through("a", steps_along(map(tuple, edges)), Walk())) is leads_back


@requirement("MEM-001-1.5-cycle")
@given(EDGES)
def test_an_order_makes_a_circle_through_what_its_closure_comes_back_to(edges):
    circle = circle_through("a", steps_along(edges), Walk())
    assert (circle is not None) is ("a" in closure(edges, "a"))


@requirement("MEM-001-1.5-cycle")
@given(EDGES)
def test_of_a_circle_all_is_known_that_lies_after_and_before(edges):
    circle = circle_through("a", steps_along(edges), Walk())
    if circle:
        assert set(circle.after) == closure(edges, "a")
        assert set(circle.before) == closure([(second, first) for first, second in edges], "a")


@pytest.mark.parametrize("end, back_first", [("n0", True), ("n1000", False)])
def test_at_the_end_of_an_order_no_step_is_taken_however_long_it_is(end, back_first):
    walk = Walk(0)
    assert circle_through(end, steps_along(chain(1_000)), walk, back_first=back_first) is None
    assert walk.left == 0


@pytest.mark.parametrize("near_an_end", ["n5", "n995"])
@pytest.mark.parametrize("back_first", [False, True])
def test_the_shorter_side_decides(near_an_end, back_first):
    assert circle_through(near_an_end, steps_along(chain(1_000)), Walk(12), back_first=back_first) is None


def test_beyond_the_bound_nobody_can_tell():
    edges = chain(100)
    assert circle_through("n50", steps_along(edges), Walk(100)) is None
    with pytest.raises(WalkTooLong):
        circle_through("n50", steps_along(edges), Walk(60))


def test_a_circle_that_is_found_within_the_bound_is_one_though_not_all_of_it_was_seen():
    edges = [("a", "b"), ("b", "a"), *(("a", f"x{number}") for number in range(100))]
    assert circle_through("a", steps_along(edges), Walk(60)) is not None


def test_a_step_is_given_no_more_than_the_walk_has_left():
    asked = []

    def step(nodes, back, most):
        asked.append(most)
        return ["hub"] if len(asked) == 1 else [f"x{number}" for number in range(most)]

    with pytest.raises(WalkTooLong):
        circle_through("a", step, Walk(10))
    assert asked == [11, 10]
