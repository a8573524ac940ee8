from __future__ import annotations

import random
from itertools import combinations

import pytest

from csbond.protocol.memory.network import (
    EDGES_MAX,
    NODES_MAX,
    TITLE_MAX,
    Edge,
    Linked,
    Member,
    around,
    measured,
    most_linked,
    title_of,
)
from csbond_tests.requirements import requirement


def edge(source, target, weight=1.0, relation="relates_to"):
    return Edge(source, target, relation, weight)


def linked(edges, tags=None, types=None):
    """The memories at the ends of links, with a tag each."""
    ids = sorted({end for each in edges for end in (each.source, each.target)})
    members = {id_: Member((types or {}).get(id_, "event"), (tags or {}).get(id_, ())) for id_ in ids}
    return most_linked(members, edges, NODES_MAX, EDGES_MAX)


def clique(ids):
    return [edge(one, other) for one, other in combinations(ids, 2)]


LEFT, RIGHT = [f"mem_1_a{n}" for n in range(5)], [f"mem_2_b{n}" for n in range(4)]
BRIDGED = [*clique(LEFT), *clique(RIGHT), edge(LEFT[0], RIGHT[0], 0.2)]
TAGS = dict.fromkeys(LEFT, ("决策链", "work")) | dict.fromkeys(RIGHT, ("故障链", "work"))


@requirement("MEM-001-1.5-computed")
def test_what_hangs_together_is_one_network_with_the_clusters_within_it() -> None:
    apart = [edge("mem_3_c", "mem_4_d")]
    places = measured(linked(BRIDGED + apart, TAGS))
    assert len({places[id_].network_id for id_ in LEFT + RIGHT}) == 1
    assert places["mem_3_c"].network_id == places["mem_4_d"].network_id != places[LEFT[0]].network_id
    assert {places[id_].clusters for id_ in LEFT} == {("决策链",)}
    assert {places[id_].clusters for id_ in RIGHT} == {("故障链",)}
    assert places["mem_3_c"].clusters == ("event",)


@requirement("MEM-001-1.5-computed")
def test_the_same_links_give_the_same_places_in_whatever_order_they_were_made() -> None:
    chance = random.Random(5)
    edges = list(
        {
            (a, b): edge(f"mem_{a}", f"mem_{b}", round(chance.random(), 3))
            for a in range(40)
            for b in chance.sample(range(40), 3)
            if a != b
        }.values()
    )
    expected = measured(linked(edges))
    for _ in range(5):
        chance.shuffle(edges)
        assert measured(linked(edges)) == expected
        assert measured(Linked(linked(edges).members, tuple(edges))) == expected


@requirement("MEM-001-1.5-computed")
def test_whoever_has_most_and_strongest_links_is_most_central() -> None:
    star = [edge("mem_hub", f"mem_{n}") for n in range(6)] + [edge("mem_0", "mem_1", 0.5)]
    places = measured(linked(star))
    assert places["mem_hub"].centrality == 1.0
    assert places["mem_0"].centrality > places["mem_2"].centrality > 0
    assert all(place.centrality == round(place.centrality, 4) for place in places.values())
    heavy = measured(linked([edge("mem_a", "mem_b", 0.9), edge("mem_b", "mem_c", 0.1)]))
    assert heavy["mem_b"].centrality > heavy["mem_a"].centrality > heavy["mem_c"].centrality


def test_a_link_counts_in_both_directions_and_one_without_weight_still_leads_there() -> None:
    one, turned = measured(linked([edge("mem_a", "mem_b", 0)])), measured(linked([edge("mem_b", "mem_a", 0)]))
    assert one == turned
    assert {place.centrality for place in one.values()} == {1.0}
    assert measured(Linked()) == {}


def test_a_memory_between_two_clusters_is_in_both() -> None:
    bridge = [*clique(LEFT), *clique(RIGHT), *(edge("mem_0", each) for each in (*LEFT[:3], *RIGHT[:2]))]
    places = measured(linked(bridge, {**TAGS, "mem_0": ("work",)}))
    assert set(places["mem_0"].clusters) == {"决策链", "故障链"}
    assert places[LEFT[0]].clusters == ("决策链",)


def test_clusters_of_one_name_are_told_apart_the_larger_without_a_number() -> None:
    places = measured(linked([*clique(LEFT), *clique(RIGHT)], dict.fromkeys(LEFT + RIGHT, ("work",))))
    assert {places[id_].clusters for id_ in LEFT} == {("work",)}
    assert {places[id_].clusters for id_ in RIGHT} == {("work 2",)}


def test_a_cluster_is_named_by_the_tag_that_tells_it_from_others() -> None:
    tags = dict.fromkeys(LEFT[:4], ("everywhere", "left")) | dict.fromkeys([LEFT[4], *RIGHT], ("everywhere",))
    assert measured(linked(BRIDGED, tags))[LEFT[0]].clusters == ("left",)


@requirement("MEM-001-1.5-computed")
def test_of_a_large_network_the_most_linked_memories_and_strongest_links_are_computed() -> None:
    edges = [edge("mem_hub", f"mem_{n}", n / 10) for n in range(10)] + [edge("mem_3", "mem_4", 1.0)]
    found = most_linked(linked(edges).members, edges, 3, 2)
    assert set(found.members) == {"mem_hub", "mem_3", "mem_4"}
    assert found.edges == (edge("mem_3", "mem_4", 1.0), edge("mem_hub", "mem_4", 0.4))
    assert (found.nodes_total, found.edges_total) == (11, 11)
    assert (NODES_MAX, EDGES_MAX) == (10_000, 50_000)


CHAIN = [edge("a", "b"), edge("c", "b"), edge("c", "d"), edge("d", "e")]


@requirement("MEM-003-3.1-network")
@pytest.mark.parametrize("depth, expected", [(0, "a"), (1, "ab"), (2, "abc"), (3, "abcd"), (9, "abcde")])
def test_a_network_reaches_so_many_steps_in_both_directions(depth, expected) -> None:
    assert "".join(around(CHAIN, "a", depth, 99).ids) == expected


@requirement("MEM-003-3.1-network")
def test_near_memories_come_first_then_those_with_the_strongest_links_and_the_rest_is_counted() -> None:
    edges = [
        edge("a", "b", 0.1),
        edge("a", "c", 0.9),
        edge("d", "a", 0.5),
        edge("a", "b", 0.6, "causes"),
        edge("c", "e"),
    ]
    assert around(edges, "a", 2, 99).ids == ("a", "c", "b", "d", "e")
    few = around(edges, "a", 2, 3)
    assert (few.ids, few.beyond) == (("a", "c", "b"), frozenset("d"))
    assert around(edges, "a", 2, 1).ids == ("a",)
    assert around([], "a", 3, 9).ids == ("a",)


def test_circles_end_where_they_began() -> None:
    assert around([edge("a", "b"), edge("b", "c"), edge("c", "a")], "a", 3, 9).ids == ("a", "b", "c")


def test_a_title_is_the_first_words_on_one_line() -> None:
    assert title_of(" One\n two\t three ") == "One two three"
    long = title_of("数" * 2000)
    assert (len(long), long[-1]) == (TITLE_MAX, "…")
    assert title_of("x" * TITLE_MAX) == "x" * TITLE_MAX
