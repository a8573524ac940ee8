"""What links that are new to an entry may not do: be too many, or lead an order of memories back (MEM-001 §1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from csbond.protocol.errors import Refused
from csbond.protocol.memory.link import INVERSE, LINKS_MAX, ORDERED, Link, forward
from csbond.protocol.memory.link_order import Node, Reach, Walk, WalkTooLong, leads_to


class OrderTooLong(Refused):
    """`link_cycle` of a link that leads back perhaps: nobody could tell within the bound."""


def check_link_count(count: int) -> None:
    """Nothing; `invalid_params` for more links than an entry may have, those that are hidden counted too."""
    if count > LINKS_MAX:
        raise Refused(
            "invalid_params",
            f"links are too many, with those that are not shown now; an entry has at most {LINKS_MAX}",
            next_step="remove some by target and relation",
            field="links",
        )


def check_orders(
    source: Node, fresh: Mapping[int, tuple[Link, Node]], reach: Callable[[str], Reach[Node]], walk: Walk
) -> None:
    """Nothing; `link_cycle` names the first fresh link of a memory that leads an order back to it.

    `fresh` has them by their places, each with the memory at its other end; `reach` follows a relation, the fresh
    links too. Where nobody can tell within the walk, the first of that order is refused with `OrderTooLong`.
    """
    by_side: dict[tuple[str, bool], list[int]] = {}
    for place, (link, _) in fresh.items():
        relation = forward("", link)[1]
        if relation in ORDERED:
            by_side.setdefault((relation, link.relation in INVERSE), []).append(place)
    for (relation, before), places in by_side.items():
        side = _Side(source, {place: fresh[place][1] for place in places}, reach(relation), before)
        try:
            back = side.leads_back(places, walk)
        except WalkTooLong:
            why = "belongs to an order that is too long to be looked at"
            raise _refused(fresh[places[0]][0], places[0], why, OrderTooLong) from None
        if back:
            place = side.first_back(places)
            raise _refused(fresh[place][0], place, "would lead back to where it began")


@dataclass(frozen=True, slots=True)
class _Side(Generic[Node]):
    """Memories that a memory is linked with in one order: all before it, or all after it."""

    source: Node
    ends: Mapping[int, Node]
    reach: Reach[Node]
    before: bool

    def leads_back(self, places: Sequence[int], walk: Walk) -> bool:
        """Whether an order leads on from the links at some places to where they began.

        What is linked is often new: nothing else leads to it, or on from it, so its own side is looked at first.
        """
        source, ends = {self.source}, {self.ends[place] for place in places}
        starts, goals = (source, ends) if self.before else (ends, source)
        return leads_to(starts, goals, self.reach, walk, back_first=not self.before)

    def first_back(self, places: Sequence[int]) -> int:
        """The first of the places whose link leads back; the first of all when it is too far to tell."""
        walk = Walk()
        try:
            return places[0] if len(places) == 1 else next(each for each in places if self.leads_back([each], walk))
        except WalkTooLong:
            return places[0]


def _refused(link: Link, place: int, why: str, kind: type[Refused] = Refused) -> Refused:
    return kind(
        "link_cycle",
        f"the link {link.relation} to {link.target_id} {why}",
        next_step="choose relates_to, or drop a link of the circle",
        field=f"links[{place}]",
    )
