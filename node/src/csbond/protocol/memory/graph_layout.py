"""Where everything of a network stands in its picture: the same for the same network.

Each cluster is a round bed, its most central memory in the middle and the others around it like the seeds of a
sunflower; the beds lie close together, the largest in the middle, those that are linked beside each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from csbond.protocol.memory.bed_packing import Spot, packed
from csbond.protocol.memory.graph_labels import labels_of
from csbond.protocol.memory.network import Edge, Network, Node, between
from csbond.protocol.memory.picture import HUES, Bed, Circle, Line, Picture, strength

NODES_SHOWN = 300
"""Memories of a picture unless others are asked for: what fits on a page and can still be told apart."""
MARGIN = 64
_CLOSE, _WIDE, _AREA = 27, 100, 480
"""Between memories: at least, at most, and by what it shrinks with the root of their number."""
_SMALLEST, _LARGEST, _FILLED = 5, 17, 0.46
"""The radius of a memory, from the rim of the network to its middle; at most so much of the way to the next."""
_RING_MAX = 6
"""So few memories make a ring instead of a flower."""
_GOLDEN = math.pi * (3 - math.sqrt(5))
_BEND = 0.16
Point = tuple[float, float]
Cluster = tuple[str, Sequence[Node]]


def layout(network: Network, nodes_shown: int = NODES_SHOWN) -> Picture:
    """The picture of the most central memories of a network; what is left out of it is counted."""
    nodes = sorted(network.nodes, key=lambda node: (node.id != network.center, -_centrality(node), node.id))
    nodes = nodes[:nodes_shown]
    edges = tuple(between(network.edges, [node.id for node in nodes]))
    clusters, space = _clusters(nodes), _space(len(nodes))
    radii = [_bed_radius(len(members), space) for _, members in clusters]
    spots, width, height = _framed(packed(radii, _leads(clusters, edges)))
    laid = list(zip(clusters, spots, strict=True))
    points = {id_: point for (_, members), spot in laid for id_, point in _seeds(members, spot, space)}
    hues = {node.id: number for number, (_, members) in enumerate(clusters) for node in members}
    circles = tuple(_circle(node, points[node.id], hues[node.id], space, network.center) for node in nodes)
    beds = tuple(_bed(cluster, spot, hue) for hue, (cluster, spot) in enumerate(laid))
    known = {node.id: node for node in nodes}
    return Picture(
        width,
        height,
        beds,
        tuple(_line(edge, known, points, hues, (width / 2, height / 2)) for edge in edges),
        circles,
        labels_of(circles, beds, width),
        network.left_out_nodes + len(network.nodes) - len(nodes),
        network.left_out_edges + len(network.edges) - len(edges),
        network.unlinked,
    )


def _centrality(node: Node) -> float:
    return node.place.centrality if node.place else 0.0


def _space(nodes: int) -> float:
    return min(_WIDE, max(_CLOSE, _AREA / math.sqrt(max(1, nodes))))


def _clusters(nodes: Iterable[Node]) -> list[Cluster]:
    """The memories by their own cluster, the largest first; what has none is one by its type."""
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(node.place.clusters[0] if node.place else node.type, []).append(node)
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def _leads(clusters: Sequence[Cluster], edges: Iterable[Edge]) -> Mapping[tuple[int, int], int]:
    """How many links there are between two clusters."""
    number = {node.id: place for place, (_, members) in enumerate(clusters) for node in members}
    pairs = (sorted((number[edge.source], number[edge.target])) for edge in edges)
    return Counter((one, other) for one, other in pairs if one != other)


def _bed_radius(members: int, space: float) -> float:
    rim = _largest(space) + 9
    if members == 1:
        return rim
    if members <= _RING_MAX:
        return _ring_radius(members, space) + rim
    return space * math.sqrt(members - 1) + rim


def _largest(space: float) -> float:
    return min(_LARGEST, space * _FILLED)


def _ring_radius(members: int, space: float) -> float:
    return space / 2 / math.sin(math.pi / members)


def _seeds(members: Sequence[Node], spot: Spot, space: float) -> Iterator[tuple[str, Point]]:
    """Where the memories of a bed stand; the most central ones come first."""
    count = len(members)
    for number, node in enumerate(members):
        if count == 1:
            away, angle = 0.0, 0.0
        elif count <= _RING_MAX:
            away, angle = _ring_radius(count, space), 2 * math.pi * number / count - math.pi / 2
        else:
            away, angle = space * math.sqrt(number), number * _GOLDEN
        yield node.id, (spot.x + away * math.cos(angle), spot.y + away * math.sin(angle))


def _framed(spots: Sequence[Spot]) -> tuple[list[Spot], int, int]:
    """The spots moved into a frame that begins at 0, and its size."""
    if not spots:
        return [], 8 * MARGIN, 4 * MARGIN
    left = min(spot.x - spot.r for spot in spots) - MARGIN
    top = min(spot.y - spot.r for spot in spots) - MARGIN
    width = max(spot.x + spot.r for spot in spots) + MARGIN - left
    height = max(spot.y + spot.r for spot in spots) + MARGIN - top
    wide = max(width, 12 * MARGIN)
    left -= (wide - width) / 2
    return [Spot(spot.x - left, spot.y - top, spot.r) for spot in spots], round(wide), round(height)


def _circle(node: Node, point: Point, hue: int, space: float, center: str) -> Circle:
    radius = _SMALLEST + (_largest(space) - _SMALLEST) * math.sqrt(_centrality(node))
    return Circle(round(point[0]), round(point[1]), round(radius), hue % HUES, node, node.id == center)


def _bed(cluster: Cluster, spot: Spot, hue: int) -> Bed:
    name, members = cluster
    return Bed(round(spot.x), round(spot.y), round(spot.r), hue % HUES, name, len(members))


def _line(
    edge: Edge, known: Mapping[str, Node], points: Mapping[str, Point], hues: Mapping[str, int], middle: Point
) -> Line:
    start, end = points[edge.source], points[edge.target]
    apart = hues[edge.source] != hues[edge.target]
    return Line(
        round(start[0]),
        round(start[1]),
        round(end[0]),
        round(end[1]),
        _bend(start, end, middle) if apart else None,
        -1 if apart else hues[edge.source] % HUES,
        strength(edge.weight),
        edge.relation,
        (known[edge.source], known[edge.target]),
    )


def _bend(start: Point, end: Point, middle: Point) -> tuple[int, int]:
    """What a link between two beds is drawn towards: a little to the side on which the middle of the picture is."""
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    across = (-(end[1] - start[1]) * _BEND, (end[0] - start[0]) * _BEND)
    towards = (middle[0] - x) * across[0] + (middle[1] - y) * across[1] >= 0
    side = 1 if towards else -1
    return round(x + side * across[0]), round(y + side * across[1])
