"""What links that are new to an entry may not do: be too many, or lead an order of memories back (MEM-001 §1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from csbond.protocol.errors import Refused
from csbond.protocol.memory.link import INVERSE, LINKS_MAX, ORDERED, Link, forward
from csbond.protocol.memory.link_order import Circle, Node, Step, Walk, WalkTooLong, circle_through


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
    source: Node, fresh: Mapping[int, tuple[Link, Node]], steps: Callable[[str], Step[Node]], walk: Walk
) -> None:
    """Nothing; `link_cycle` names the first fresh link of a memory that leads an order back to it.

    `fresh` has them by their places, each with the memory at its other end; `steps` leads along a relation, the fresh
    links too. Where nobody can tell within the walk, the first of that order is refused.
    """
    by_relation: dict[str, list[int]] = {}
    for place, (link, _) in fresh.items():
        by_relation.setdefault(forward("", link)[1], []).append(place)
    for relation, places in by_relation.items():
        if relation not in ORDERED:
            continue
        try:
            # Nothing leads to a memory that is new, or nothing leads on from it: that side is looked at first.
            onward = any(fresh[place][0].relation not in INVERSE for place in places)
            circle = circle_through(source, steps(relation), walk, back_first=onward)
        except WalkTooLong:
            place, why = places[0], "belongs to an order that is too long to be looked at"
            raise _refused(fresh[place][0], place, why) from None
        if circle:
            place = _first_on(circle, {place: fresh[place] for place in places})
            raise _refused(fresh[place][0], place, "would lead back to where it began")


def _first_on(circle: Circle[Node], links: Mapping[int, tuple[Link, Node]]) -> int:
    """The place of the first link on the circle; the first of all where the circle was not looked at whole."""
    for place, (link, end) in links.items():
        if end in (circle.after if link.relation in INVERSE else circle.before):
            return place
    return next(iter(links))


def _refused(link: Link, place: int, why: str) -> Refused:
    return Refused(
        "link_cycle",
        f"the link {link.relation} to {link.target_id} {why}",
        next_step="choose relates_to, or drop a link of the circle",
        field=f"links[{place}]",
    )
