"""Which memories of a network hang together more than with all others: communities by modularity.

Whole numbers and a fixed order only, so that the same network has the same clusters on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Graph = Sequence[Mapping[int, int]]
"""For each node its neighbours with the weight between them; a loop counts what lies within the node twice."""
_ROUNDS = 20
"""How often nodes are asked whether they want to move; after the first time those whose neighbours did."""


def clusters_of(graph: Graph) -> list[int]:
    """A label for each node, the same for those of one cluster: the smallest place of a node in it.

    Nodes move to the cluster that gains most by them, then clusters do as one, until nothing moves.
    """
    labels = list(range(len(graph)))
    while True:
        moved = _moved(graph)
        names = sorted(set(moved))
        if len(names) == len(graph):
            return _by_smallest(labels)
        place = {name: number for number, name in enumerate(names)}
        moved = [place[name] for name in moved]
        labels = [moved[label] for label in labels]
        graph = _merged(graph, moved, len(names))


def _moved(graph: Graph) -> list[int]:
    degrees = [sum(each.values()) for each in graph]
    whole = sum(degrees)
    labels, sizes = list(range(len(graph))), list(degrees)
    asked = set(labels)
    for _ in range(_ROUNDS):
        again: set[int] = set()
        for node in sorted(asked):
            own, degree = labels[node], degrees[node]
            sizes[own] -= degree
            best = _best(node, graph[node], labels, sizes, degree, whole)
            sizes[best] += degree
            if best != own:
                labels[node] = best
                again.update(other for other in graph[node] if labels[other] != best)
        if not again:
            break
        asked = again
    return labels


def _best(
    node: int, neighbours: Mapping[int, int], labels: Sequence[int], sizes: Sequence[int], degree: int, whole: int
) -> int:
    """The cluster a node gains most in: where it is if it gains no more elsewhere, else the one of smaller label."""
    leads: dict[int, int] = {}
    for other, weight in neighbours.items():
        label = labels[other]
        leads[label] = leads.get(label, 0) + weight
    own = labels[node]
    leads[own] = leads.get(own, 0) - neighbours.get(node, 0)
    best, most = own, whole * leads.pop(own) - degree * sizes[own]
    for label, weight in leads.items():
        gain = whole * weight - degree * sizes[label]
        if gain > most or (gain == most and own != best > label):
            best, most = label, gain
    return best


def _merged(graph: Graph, labels: Sequence[int], count: int) -> Graph:
    """The network of clusters."""
    merged: list[dict[int, int]] = [{} for _ in range(count)]
    for node, neighbours in enumerate(graph):
        row = merged[labels[node]]
        for other, weight in neighbours.items():
            row[labels[other]] = row.get(labels[other], 0) + weight
    return merged


def _by_smallest(labels: Sequence[int]) -> list[int]:
    first: dict[int, int] = {}
    for place, label in enumerate(labels):
        first.setdefault(label, place)
    return [first[label] for label in labels]
