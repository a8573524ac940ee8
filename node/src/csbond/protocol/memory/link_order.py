"""Whether an order of memories leads from some to others, found from both sides in turn (MEM-001 §1.5).

Both sides are looked at alike, a little first and then more. One that is known whole decides, so neither a long past
nor a crowd on the other side costs much.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

WALK_MAX = 10_000
"""Memories that the searches for one entry look at: beyond, a link is refused rather than guessed about."""
WALK_LEAST = 500
"""The same for each of many entries that one change links."""
LOOK_FIRST = 16
"""Memories that the first look at a side takes in."""
LOOK_GROWTH = 4
"""How many times as many each further look takes in, so that all before together cost less than the last."""

Node = TypeVar("Node", int, str)
Reach = Callable[[Collection[Node], bool, int], Collection[Node]]
"""Some memories and what follows them in an order (goes before them, for True), near ones first: so many at most."""


class WalkTooLong(Exception):
    """Nobody can tell within the bound where an order leads."""


@dataclass(slots=True)
class Walk:
    """How many memories the searches for one entry may still look at."""

    left: int = field(default_factory=lambda: WALK_MAX)

    def room(self, most: int) -> int:
        """As many of so many as are left; `WalkTooLong` when none are."""
        if self.left <= 0:
            raise WalkTooLong
        return min(most, self.left)


def walk_of(entries: int) -> Walk:
    """How far the searches for each of so many entries of one change may go."""
    return Walk(max(WALK_MAX // max(1, entries), min(WALK_LEAST, WALK_MAX)))


def leads_to(
    starts: Collection[Node], ends: Collection[Node], reach: Reach[Node], walk: Walk, *, back_first: bool = True
) -> bool:
    """Whether an order leads from one of the starts to one of the ends; `WalkTooLong` when nobody can tell."""
    sides = {True: ends, False: starts}
    seen = {back: set(nodes) for back, nodes in sides.items()}
    most = LOOK_FIRST
    while seen[True].isdisjoint(seen[False]):
        for back in (back_first, not back_first):
            asked = walk.room(most)
            found = reach(sides[back], back, asked)
            walk.left -= len(found)
            seen[back].update(found)
            if len(found) < asked:
                return not seen[True].isdisjoint(seen[False])
        most *= LOOK_GROWTH
    return True


def reach_along(edges: Iterable[tuple[Node, Node]]) -> Reach[Node]:
    """What can be reached along the (before, after) pairs of one order."""
    following: dict[Node, list[Node]] = {}
    preceding: dict[Node, list[Node]] = {}
    for first, second in edges:
        following.setdefault(first, []).append(second)
        preceding.setdefault(second, []).append(first)
    return lambda nodes, back, most: reached(nodes, preceding if back else following, most)


def reached(nodes: Iterable[Node], nexts: Mapping[Node, Iterable[Node]], most: int) -> Collection[Node]:
    """Some memories and what comes next to them, to that again and so on, near ones first: so many at most."""
    found = dict.fromkeys(nodes)
    waiting = deque(found)
    while waiting and len(found) < most:
        fresh = [each for each in nexts.get(waiting.popleft(), ()) if each not in found]
        found |= dict.fromkeys(fresh)
        waiting.extend(dict.fromkeys(fresh))
    return list(found)[:most]
