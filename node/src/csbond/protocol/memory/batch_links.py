"""Links between memories that are written together: which lead to nothing, and which lead an order back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from csbond.protocol.errors import Refused
from csbond.protocol.memory.fresh_links import check_orders
from csbond.protocol.memory.link import Link, forward, is_foreign
from csbond.protocol.memory.link_order import Step, Walk


def leading_nowhere(
    links: Mapping[int, Sequence[Link]], ids: Mapping[int, str], there: Collection[str]
) -> dict[int, int]:
    """Which of these memories lead to nothing, by their places, and by which of their links.

    A link leads to what is there already, to one of these, or to what is no memory; one that leads to a memory which
    itself leads to nothing leads to nothing as well.
    """
    written = {id_: place for place, id_ in ids.items()}
    following: dict[int, dict[int, int]] = {}
    nowhere: dict[int, int] = {}
    for place, sent in links.items():
        for number, link in enumerate(sent):
            if link.target_id in written:
                following.setdefault(written[link.target_id], {}).setdefault(place, number)
            elif link.target_id not in there and not is_foreign(link.target_id):
                nowhere.setdefault(place, number)
    waiting = list(nowhere)
    while waiting:
        for place, number in following.get(waiting.pop(), {}).items():
            if place not in nowhere:
                nowhere[place] = number
                waiting.append(place)
    return nowhere


def leading_back(links: Mapping[int, tuple[str, Sequence[Link]]]) -> dict[int, Refused]:
    """Which of these memories lead an order of them back, in the order they come, and why each is refused.

    `links` has the memory that each place becomes, and what it links to. Those that are refused form no order, so the
    others make no circle among themselves.
    """
    written = {source_id for source_id, _ in links.values()}
    orders, walk = _Orders(), Walk()
    refused: dict[int, Refused] = {}
    for place, (source_id, sent) in links.items():
        fresh = {number: (link, link.target_id) for number, link in enumerate(sent) if link.target_id in written}
        added = [edge for link, _ in fresh.values() if orders.add(edge := forward(source_id, link))]
        try:
            check_orders(source_id, fresh, orders.steps, walk)
        except Refused as fault:
            refused[place] = fault
            for edge in added:
                orders.take(edge)
    return refused


class _Orders:
    """What stands right after a memory, and right before it, by relation."""

    def __init__(self) -> None:
        self._next: dict[tuple[str, str, bool], dict[str, None]] = {}

    def add(self, edge: tuple[str, str, str]) -> bool:
        """Whether the edge was not there."""
        first, relation, second = edge
        after = self._next.setdefault((relation, first, False), {})
        is_new = second not in after
        after[second] = None
        self._next.setdefault((relation, second, True), {})[first] = None
        return is_new

    def take(self, edge: tuple[str, str, str]) -> None:
        first, relation, second = edge
        del self._next[relation, first, False][second]
        del self._next[relation, second, True][first]

    def steps(self, relation: str) -> Step[str]:
        def step(nodes: Collection[str], back: bool, most: int) -> list[str]:
            return [each for node in nodes for each in self._next.get((relation, node, back), ())][:most]

        return step
