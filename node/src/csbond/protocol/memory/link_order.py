"""Whether an order of memories leads back to where it began, found from both sides at once (MEM-001 §1.5).

Most memories that get a link are new: nothing leads to them, and one look tells. In the middle of an order the shorter
side decides, so that a long past costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

WALK_MAX = 4_000
"""Links that the searches of one change follow: beyond, a link is refused rather than guessed about."""

Node = TypeVar("Node", int, str)
Step = Callable[[Collection[Node], bool, int], Collection[Node]]
"""What stands right after some memories in an order (right before them, for True): so many of them at most."""


class WalkTooLong(Exception):
    """Nobody can tell within the bound whether an order leads back."""


@dataclass(slots=True)
class Walk:
    """How far the searches of one change may still go."""

    left: int = field(default_factory=lambda: WALK_MAX)

    def took(self, links: int) -> None:
        """Nothing; `WalkTooLong` when that was more than what was left."""
        self.left -= links
        if self.left < 0:
            raise WalkTooLong


@dataclass(frozen=True, slots=True)
class Circle(Generic[Node]):
    """A memory that an order leads back to: what stands after it, and what before it."""

    after: Collection[Node]
    before: Collection[Node]


@dataclass(slots=True)
class _Side(Generic[Node]):
    """What was found in one direction, and from where it goes on."""

    ends: set[Node]
    seen: set[Node] = field(default_factory=set)

    def go_on(self, found: Collection[Node]) -> None:
        self.ends = set(found) - self.seen
        self.seen |= self.ends


def circle_through(start: Node, step: Step[Node], walk: Walk, *, back_first: bool = True) -> Circle[Node] | None:
    """The circle that an order makes through a memory; None when it makes none, `WalkTooLong` when nobody can tell.

    Where the first look finds nothing there is none. A circle that is found is looked at whole, as far as the walk
    goes, so that all that lies on it is known.
    """
    after, before = _Side({start}), _Side({start})
    meets = False
    while (after.ends and before.ends) or (meets and (after.ends or before.ends)):
        back = len(before.seen) < len(after.seen) + back_first if after.ends and before.ends else not after.ends
        side, other = (before, after) if back else (after, before)
        found = step(side.ends, back, walk.left + 1)
        side.go_on(found)
        meets = meets or start in side.ends or not side.ends.isdisjoint(other.seen)
        try:
            walk.took(len(found))
        except WalkTooLong:
            if not meets:
                raise
            break
    return Circle(after.seen, before.seen) if meets else None


def steps_along(edges: Iterable[tuple[Node, Node]]) -> Step[Node]:
    """The steps along the (before, after) pairs of one order."""
    following: dict[Node, list[Node]] = {}
    preceding: dict[Node, list[Node]] = {}
    for first, second in edges:
        following.setdefault(first, []).append(second)
        preceding.setdefault(second, []).append(first)

    def step(nodes: Collection[Node], back: bool, most: int) -> Collection[Node]:
        nexts = preceding if back else following
        return [each for node in nodes for each in nexts.get(node, ())][:most]

    return step
