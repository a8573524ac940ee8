"""The knowledge network: memories and the links between them, what lies around one, and what is computed of them.

A link counts in both directions here: whoever looks for what belongs together does not ask who named whom
(MEM-001 §1.5). Links to what is no memory are in no network.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul, truediv

from csbond.protocol.memory.clusters import Graph, clusters_of
from csbond.protocol.memory.entry import EntryType, Level

NODES_MAX = 10_000
"""Memories of which a network is computed: the most linked ones."""
EDGES_MAX = 50_000
"""Links of which a network is computed: the strongest between those memories."""
DEPTH_MAX = 3
"""Steps around a memory; after four almost everything is around everything."""
SHOWN_DEFAULT = 200
SHOWN_MAX = 2000
"""Memories of one answer: more than a person looks through."""
EDGES_A_NODE = 5
"""Links told for each memory that may be told."""
TITLE_MAX = 80
"""Code points that stand for a content."""
TITLE_FROM = 640
"""Code points of a content that its title is made from: blanks count there and not in the title."""
_DAMPING = 0.85
_ROUNDS = 30
_STILL = 1e-4
"""A change of a rank, which is 1 on average, that ends the walk: hardly anything is told of it."""
_BRIDGE = 3
"""A memory is in another cluster, too, where a third of its links by weight lead there."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A link between two memories."""

    source: str
    target: str
    relation: str
    weight: float


@dataclass(frozen=True, slots=True)
class Member:
    """What names the clusters of a memory that has links."""

    type: EntryType
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory stands in the network (MEM-001 §1.5)."""

    network_id: str
    """The same for all that hang together."""
    centrality: float
    """0…1, to four digits; 1 for what is most in the middle of all that is told."""
    clusters: tuple[str, ...]
    """Its own cluster first, then others it leads to."""


@dataclass(frozen=True, slots=True)
class Node:
    """A memory as a network tells it; without a place when it has no links or is beyond what is computed."""

    id: str
    level: Level
    type: EntryType
    title: str
    tags: tuple[str, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """What is told of a network, the most central (or nearest) memories first, and how much is left out."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out_nodes: int = 0
    """Linked memories that are not told; around one, of those that were reached."""
    left_out_edges: int = 0
    unlinked: int = 0
    """Memories without a link to another one; around one, none is counted."""
    center: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Linked:
    """All memories of a ledger that have links, as far as they are computed."""

    members: Mapping[str, Member] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    nodes_total: int = 0
    edges_total: int = 0


@dataclass(frozen=True, slots=True)
class Reached:
    """What lies around a memory, ring by ring; the first ring is the memory itself."""

    rings: tuple[tuple[str, ...], ...]
    beyond: frozenset[str] = frozenset()
    """What was reached, too, and there is no room for."""

    @property
    def ids(self) -> tuple[str, ...]:
        """All of them, the nearest first."""
        return tuple(id_ for ring in self.rings for id_ in ring)


def strongest(edges: Iterable[Edge]) -> list[Edge]:
    """Links in their order: the strongest first, then by their ends and relation."""
    return sorted(edges, key=lambda edge: (-edge.weight, edge.source, edge.target, edge.relation))


def most_linked(members: Mapping[str, Member], edges: Sequence[Edge], nodes: int, links: int) -> Linked:
    """Of a whole network the memories with most links, and the strongest links between them; the rest is counted."""
    degrees = Counter(end for edge in edges for end in (edge.source, edge.target))
    kept = set(sorted(degrees, key=lambda id_: (-degrees[id_], id_))[:nodes])
    inside = strongest(edge for edge in edges if edge.source in kept and edge.target in kept)
    known = {id_: members[id_] for id_ in sorted(kept)}
    return Linked(known, tuple(inside[:links]), len(degrees), len(edges))


def around(edges: Sequence[Edge], center: str, depth: int, limit: int) -> Reached:
    """What is at most so many steps from a memory, at most so many memories: near ones first, then the strongest."""
    reached = Reached(((center,),))
    for _ in range(depth):
        reached = a_step_further(edges, reached, limit)
        if is_full(reached, limit):
            break
    return reached


def a_step_further(edges: Iterable[Edge], reached: Reached, limit: int) -> Reached:
    """What is reached with one ring more, by the links that touch the last one."""
    ring, taken = frozenset(reached.rings[-1]), set(reached.ids)
    nearest: dict[str, float] = {}
    for edge in edges:
        for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
            if here in ring and there not in taken:
                nearest[there] = max(nearest.get(there, 0.0), edge.weight)
    room = max(0, limit - len(taken))
    further = tuple(sorted(nearest, key=lambda id_: (-nearest[id_], id_))[:room])
    return Reached((*reached.rings, further), (reached.beyond | nearest.keys()) - {*taken, *further})


def is_full(reached: Reached, limit: int) -> bool:
    """Whether there is nothing further to reach, or no room for it."""
    return not reached.rings[-1] or len(reached.ids) >= limit


def between(edges: Iterable[Edge], ids: Collection[str]) -> Iterator[Edge]:
    """The links of which both ends are among these memories."""
    inside = frozenset(ids)
    return (edge for edge in edges if edge.source in inside and edge.target in inside)


def measured(linked: Linked) -> dict[str, Place]:
    """The place of each linked memory: the same for the same links, in whatever order they were made."""
    ids = sorted({end for edge in linked.edges for end in (edge.source, edge.target)})
    graph = _graph(ids, linked.edges)
    labels = clusters_of(graph)
    names = _named_clusters([linked.members[id_] for id_ in ids], labels)
    networks, centralities = _components(ids, graph), _centralities(graph)
    return {
        id_: Place(networks[place], centralities[place], _clusters(place, graph, labels, names))
        for place, id_ in enumerate(ids)
    }


def title_of(content: str) -> str:
    """The first words of a content, on one line."""
    line = " ".join(content[:TITLE_FROM].split())
    return line if len(line) <= TITLE_MAX else line[: TITLE_MAX - 1].rstrip() + "…"


def _graph(ids: Sequence[str], edges: Iterable[Edge]) -> Graph:
    """Each memory's neighbours with how much leads there, in hundredths; a link without weight still leads there."""
    places = {id_: place for place, id_ in enumerate(ids)}
    graph: list[dict[int, int]] = [{} for _ in ids]
    for one, other, weight in sorted((places[edge.source], places[edge.target], edge.weight) for edge in edges):
        for here, there in ((one, other), (other, one)):
            graph[here][there] = graph[here].get(there, 0) + max(1, round(weight * 100))
    return graph


def _centralities(graph: Graph) -> list[float]:
    """PageRank along the links, as shares of the greatest; a walk that settles ends early."""
    if not graph:
        return []
    ends = [tuple(each) for each in graph]
    weights = [tuple(each.values()) for each in graph]
    strengths = list(map(sum, weights))
    ranks = [1.0] * len(graph)
    for _ in range(_ROUNDS):
        share_of = list(map(truediv, ranks, strengths)).__getitem__
        fresh = [
            1 - _DAMPING + _DAMPING * sum(map(mul, map(share_of, at), weight))
            for at, weight in zip(ends, weights, strict=True)
        ]
        moved = max(abs(now - before) for now, before in zip(fresh, ranks, strict=True))
        ranks = fresh
        if moved < _STILL:
            break
    most = max(ranks)
    return [round(rank / most, 4) for rank in ranks]


def _components(ids: Sequence[str], graph: Graph) -> list[str]:
    """The id of the network each memory is in, made from the smallest id of a memory in it."""
    found = [""] * len(ids)
    for start, id_ in enumerate(ids):
        if found[start]:
            continue
        name = f"net_{hashlib.sha256(id_.encode()).hexdigest()[:12]}"
        found[start], waiting = name, [start]
        while waiting:
            for other in graph[waiting.pop()]:
                if not found[other]:
                    found[other] = name
                    waiting.append(other)
    return found


def _named_clusters(members: Sequence[Member], labels: Sequence[int]) -> dict[int, str]:
    """A name for each cluster: the tag that tells it best from the others, or its commonest type.

    Of two clusters of one name the later, smaller one has a number.
    """
    groups: dict[int, list[Member]] = {}
    for member, label in zip(members, labels, strict=True):
        groups.setdefault(label, []).append(member)
    everywhere = Counter(tag for member in members for tag in member.tags)
    used: Counter[str] = Counter()
    names: dict[int, str] = {}
    for label, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        name = _name_of(group, everywhere)
        used[name] += 1
        names[label] = name if used[name] == 1 else f"{name} {used[name]}"
    return names


def _name_of(group: Sequence[Member], everywhere: Counter[str]) -> str:
    tags = Counter(tag for member in group for tag in member.tags)
    if tags:
        return min(tags, key=lambda tag: (-(tags[tag] ** 2) / everywhere[tag], tag))
    types = Counter(member.type for member in group)
    return min(types, key=lambda type_: (-types[type_], type_))


def _clusters(place: int, graph: Graph, labels: Sequence[int], names: Mapping[int, str]) -> tuple[str, ...]:
    own, leads = labels[place], dict[int, int]()
    for other, weight in graph[place].items():
        label = labels[other]
        leads[label] = leads.get(label, 0) + weight
    least = sum(leads.values()) / _BRIDGE
    others = [label for label, weight in leads.items() if label != own and weight >= least]
    return tuple(names[label] for label in (own, *sorted(others, key=lambda label: (-leads[label], label))))
