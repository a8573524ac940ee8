from __future__ import annotations

import random

import pytest

from csbond.protocol.memory.clusters import clusters_of


def graph(count, pairs):
    found: list[dict[int, int]] = [{} for _ in range(count)]
    for one, other, weight in pairs:
        found[one][other] = found[other][one] = weight
    return found


def modularity(found, labels):
    """How much more lies within the clusters than chance would put there."""
    degrees = [sum(each.values()) for each in found]
    whole = sum(degrees)
    inside = sum(
        weight for one, each in enumerate(found) for other, weight in each.items() if labels[one] == labels[other]
    )
    sizes: dict[int, int] = {}
    for label, degree in zip(labels, degrees, strict=True):
        sizes[label] = sizes.get(label, 0) + degree
    return inside / whole - sum((size / whole) ** 2 for size in sizes.values())


def planted(seed):
    """Four groups of ten: within them links are common, between them rare."""
    chance = random.Random(seed)
    pairs = [
        (one, other, chance.randint(1, 100))
        for one in range(40)
        for other in range(one)
        if chance.random() < (0.6 if one % 4 == other % 4 else 0.02)
    ]
    return graph(40, pairs)


@pytest.mark.parametrize("seed", range(5))
def test_groups_that_hang_together_are_found(seed) -> None:
    network = planted(seed)
    known = [number % 4 for number in range(40)]
    assert modularity(network, clusters_of(network)) >= 0.95 * modularity(network, known)


@pytest.mark.parametrize("seed", range(5))
def test_no_single_node_gains_by_moving_elsewhere(seed) -> None:
    chance = random.Random(seed)
    network = graph(
        25, [(one, other, chance.randint(1, 9)) for one in range(25) for other in range(one) if chance.random() < 0.15]
    )
    network = [each or {number: 2} for number, each in enumerate(network)]
    labels = clusters_of(network)
    assert modularity(network, labels) >= modularity(network, [0] * 25) - 1e-12
    assert modularity(network, labels) >= modularity(network, list(range(25))) - 1e-12


def test_a_label_is_the_smallest_place_of_its_cluster() -> None:
    assert clusters_of(graph(4, [(0, 3, 1), (1, 2, 1)])) == [0, 1, 1, 0]
    assert clusters_of([]) == []
    assert clusters_of([{}, {}]) == [0, 1]
