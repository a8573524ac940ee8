"""Round beds are laid close together: each beside those it is linked with, as near to the middle as there is room."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

GAP = 34
"""Between two beds, where the names of clusters stand."""
_ANGLES = 18
_OPEN_MAX = 30
"""Beds that the next one may lie beside; of more, those farthest in count."""
_PULL = 0.6
"""How much the middle draws beside what a bed is linked with."""
_FLAT = 0.72
"""A picture is wider than it is high."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a bed lies, and its radius."""

    x: float
    y: float
    r: float


def packed(radii: Sequence[float], leads: Mapping[tuple[int, int], int]) -> list[Spot]:
    """A spot for each radius, none on another; the first in the middle, the larger ones first.

    `leads` says how much links two of them, the smaller number first.
    """
    spots: list[Spot] = []
    near: list[list[int]] = []
    beside: list[tuple[float, int]] = []
    for number, radius in enumerate(radii):
        spot, full = _next_spot(number, radius, spots, near, [each for _, each in beside[:_OPEN_MAX]], leads)
        beside = [each for each in beside if each[1] not in full] if full else beside
        around = [other for other, known in enumerate(spots) if _apart(spot, known) < 2 * (radius + GAP)]
        for other in around:
            near[other].append(number)
        near.append(around)
        spots.append(spot)
        insort(beside, (round(_from_middle(spot), 3), number))
    return spots


def _next_spot(
    number: int,
    radius: float,
    spots: Sequence[Spot],
    near: Sequence[Sequence[int]],
    beside: Sequence[int],
    leads: Mapping[tuple[int, int], int],
) -> tuple[Spot, set[int]]:
    """The best free spot, and the beds beside which there is none any more."""
    if not spots:
        return Spot(0.0, 0.0, radius), set()
    friends = [(spots[other], lead) for other in range(number) if (lead := leads.get((other, number), 0))]
    best: tuple[float, Spot] | None = None
    full: set[int] = set()
    for each in beside:
        free = [spot for spot in _around(spots[each], radius) if not _covers(spot, near[each], spots)]
        if not free:
            full.add(each)
        for spot in free:
            cost = _cost(spot, friends)
            if best is None or cost < best[0]:
                best = cost, spot
    return (best[1] if best else _outside(number, radius, spots)), full


def _around(spot: Spot, radius: float) -> Iterator[Spot]:
    distance = spot.r + radius + GAP
    for number in range(_ANGLES):
        angle = 2 * math.pi * number / _ANGLES
        yield Spot(spot.x + distance * math.cos(angle), spot.y + distance * math.sin(angle), radius)


def _covers(spot: Spot, others: Sequence[int], spots: Sequence[Spot]) -> bool:
    return any(_apart(spot, spots[other]) < GAP - 1e-6 for other in others)


def _apart(one: Spot, other: Spot) -> float:
    """How much lies between two beds; below zero when one is on the other."""
    return math.hypot(one.x - other.x, one.y - other.y) - one.r - other.r


def _from_middle(spot: Spot) -> float:
    return math.hypot(spot.x * _FLAT, spot.y)


def _cost(spot: Spot, friends: Sequence[tuple[Spot, int]]) -> float:
    """How bad a spot is: far from its friends, and far from the middle; rounded, so that equal spots are equal."""
    middle = _from_middle(spot)
    weight = sum(lead for _, lead in friends)
    if not weight:
        return round(middle * (1 + _PULL), 3)
    away = sum(math.hypot(spot.x - friend.x, spot.y - friend.y) * lead for friend, lead in friends) / weight
    return round(away + middle * _PULL, 3)


def _outside(number: int, radius: float, spots: Sequence[Spot]) -> Spot:
    """Beyond everything, in another direction for each."""
    distance = max(math.hypot(spot.x, spot.y) + spot.r for spot in spots) + radius + GAP
    angle = number * math.pi * (3 - math.sqrt(5))
    return Spot(distance * math.cos(angle), distance * math.sin(angle), radius)
