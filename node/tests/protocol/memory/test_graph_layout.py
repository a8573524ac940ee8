from __future__ import annotations

import dataclasses
import math
import random
from itertools import combinations
from typing import Any

import pytest

from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.graph_labels import LABEL_MAX, shortened
from csbond.protocol.memory.graph_layout import NODES_SHOWN, layout
from csbond.protocol.memory.network import Edge, Network, Node, Place
from csbond_tests.requirements import requirement


def network(count, clusters, seed=1, **fields):
    """Memories in clusters, most of their links within them."""
    chance = random.Random(seed)
    nodes = tuple(
        Node(
            f"mem_{number}_x",
            chance.choice(list(Level)),
            "event",
            "记忆 memory " * (1 + number % 3),
            (),
            Place("net_1", round(1 - number / count, 4), (f"group {number % clusters}",)),
        )
        for number in range(count)
    )
    ends = [(one, chance.choice([(one + clusters) % count, chance.randrange(count)])) for one in range(count)]
    edges = tuple(
        Edge(nodes[one].id, nodes[other].id, "causes", chance.random()) for one, other in ends if one != other
    )
    return Network(nodes, edges, **fields)


@requirement("MEM-001-graph-bounded")
def test_the_same_network_has_the_same_picture_in_whatever_order_it_is_told() -> None:
    found = network(120, 6)
    shuffled = list(found.nodes)
    random.Random(9).shuffle(shuffled)
    assert layout(dataclasses.replace(found, nodes=tuple(shuffled))) == layout(found)


@requirement("MEM-001-graph-bounded")
def test_of_10000_memories_the_most_central_are_drawn_and_the_rest_is_counted() -> None:
    found = network(10_000, 24, left_out_nodes=5, left_out_edges=7, unlinked=3)
    picture = layout(found)
    assert len(picture.circles) == NODES_SHOWN
    assert [circle.node for circle in picture.circles] == list(found.nodes[:NODES_SHOWN])
    assert picture.left_out_nodes == 10_000 - NODES_SHOWN + 5
    assert len(picture.lines) + picture.left_out_edges == len(found.edges) + 7
    assert picture.unlinked == 3
    assert max(picture.width, picture.height) < 4000


@pytest.mark.parametrize("count, clusters", [(1, 1), (2, 1), (7, 2), (60, 20), (300, 150), (300, 7)])
def test_nothing_lies_on_anything_else(count, clusters) -> None:
    picture = layout(network(count, clusters))
    for bed, beside in combinations(picture.beds, 2):
        assert math.hypot(bed.x - beside.x, bed.y - beside.y) > bed.r + beside.r
    for one, other in combinations(picture.circles, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) >= one.r + other.r
    for circle in picture.circles:
        assert any(math.hypot(circle.x - bed.x, circle.y - bed.y) + circle.r <= bed.r for bed in picture.beds)
        assert 0 < circle.x < picture.width
        assert 0 < circle.y < picture.height


def test_everything_stands_at_whole_numbers() -> None:
    picture = layout(network(40, 4))
    drawn: list[Any] = [*picture.beds, *picture.circles, *picture.lines, *picture.labels]
    for each in drawn:
        assert not [field.name for field in dataclasses.fields(each) if isinstance(getattr(each, field.name), float)]
    assert isinstance(picture.width, int)


def test_the_memory_in_the_middle_is_drawn_even_when_it_is_least_central() -> None:
    found = network(50, 2)
    center = found.nodes[-1].id
    picture = layout(dataclasses.replace(found, center=center), 10)
    assert [circle.node.id for circle in picture.circles if circle.is_center] == [center]
    assert len(picture.circles) == 10


def test_a_memory_without_links_stands_in_a_bed_of_its_type() -> None:
    picture = layout(Network((Node("mem_1_x", Level.HOT, "lesson", "Alone."),), (), center="mem_1_x"))
    assert [(bed.name, bed.members) for bed in picture.beds] == [("lesson", 1)]
    assert [label.text for label in picture.labels] == ["lesson", "Alone."]


def test_a_picture_of_nothing_is_empty() -> None:
    picture = layout(Network((), ()))
    assert (picture.beds, picture.lines, picture.circles, picture.labels) == ((), (), (), ())
    assert picture.width > picture.height > 0


def test_a_link_within_a_cluster_is_straight_and_one_between_two_is_bent() -> None:
    picture = layout(network(40, 4))
    for line in picture.lines:
        apart = len({end.place.clusters[0] for end in line.ends if end.place}) == 2
        assert (line.bend is not None, line.hue == -1) == (apart, apart)


def test_labels_do_not_lie_on_each_other() -> None:
    picture = layout(network(200, 9))
    assert len(picture.labels) > 15
    for one, other in combinations(picture.labels, 2):
        apart = len(one.text) + len(other.text)
        assert abs(one.y - other.y) >= 11 or abs(one.x - other.x) > apart * 2, (one, other)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("short", "short"),
        ("a" * 11, "aaaaaaaaaa…"),
        ("记忆记忆记忆", "记忆记忆记…"),
        ("aaaaaaaaae\u0301bc", "aaaaaaaaae\u0301…"),
        ("aaaaaaaa👩\u200d👩\u200d👧b", "aaaaaaaa…"),
        ("two words here", "two words…"),
    ],
)
def test_a_label_is_cut_between_characters(text, shown) -> None:
    assert shortened(text, 10) == shown


def test_a_label_has_at_most_40_code_points_of_a_text() -> None:
    assert len(shortened("a\u0301" * 100, 500)) <= LABEL_MAX + 1
