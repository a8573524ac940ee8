"""The picture of a network: where everything stands, in whole numbers, from the back to the front."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.memory.network import Node

HUES = 10
"""Beds of different colour; then they begin again."""
FULL, STRONG = 0.75, 0.4
"""From which weight on a link is drawn strong, or in between."""


@dataclass(frozen=True, slots=True)
class Bed:
    """A cluster, with its name and how many memories of it are drawn."""

    x: int
    y: int
    r: int
    hue: int
    name: str
    members: int


@dataclass(frozen=True, slots=True)
class Circle:
    """A memory."""

    x: int
    y: int
    r: int
    hue: int
    node: Node
    is_center: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A link; bent when it leaves its bed."""

    x1: int
    y1: int
    x2: int
    y2: int
    bend: tuple[int, int] | None
    hue: int
    """Of the bed it stays in; −1 between two."""
    strength: int
    """1 weak, 2, 3 strong."""
    relation: str
    ends: tuple[Node, Node]


@dataclass(frozen=True, slots=True)
class Label:
    """Words under or beside something, around their middle."""

    x: int
    y: int
    text: str
    size: int
    """Of the letters, in the units of the picture."""
    hue: int
    names_bed: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is drawn, and what is not."""

    width: int
    height: int
    beds: tuple[Bed, ...]
    lines: tuple[Line, ...]
    circles: tuple[Circle, ...]
    labels: tuple[Label, ...]
    left_out_nodes: int = 0
    left_out_edges: int = 0
    unlinked: int = 0


def strength(weight: float) -> int:
    """How strong a link of a weight is drawn."""
    return 1 + (weight >= STRONG) + (weight >= FULL)
