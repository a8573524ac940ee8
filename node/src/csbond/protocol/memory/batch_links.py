"""Links between memories that are written together: which lead to nothing, and which lead an order back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from csbond.protocol.errors import Refused
from csbond.protocol.memory.fresh_links import check_orders
from csbond.protocol.memory.link import ORDERED, Link, forward, is_foreign
from csbond.protocol.memory.link_order import Reach, Walk, reached


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
    edges = _edges(links.values())
    looped = {relation: _on_circles(edges, relation) for relation in ORDERED} if edges else {}
    if not any(looped.values()):
        return {}
    orders = _Orders()
    refused: dict[int, Refused] = {}
    for place, (source_id, sent) in links.items():
        fresh = {
            number: (link, link.target_id)
            for number, link in enumerate(sent)
            if {source_id, link.target_id} <= looped.get(forward(source_id, link)[1], set())
        }
        added = [edge for link, _ in fresh.values() if orders.add(edge := forward(source_id, link))]
        try:
            check_orders(source_id, fresh, orders.reach, Walk())
        except Refused as fault:
            refused[place] = fault
            for edge in added:
                orders.take(edge)
    return refused


def targets_first(links: Mapping[str, Sequence[Link]]) -> list[str]:
    """These memories in an order in which what they link to comes before them, as far as there is one.

    When the links of one are set, none leads to it yet: one look tells that they make no circle.
    """
    pairs = {(source_id, link.target_id) for source_id, sent in links.items() for link in sent}
    ends_first, rest = _ends_first({pair for pair in pairs if pair[1] in links})
    places = {id_: place for place, id_ in enumerate(ends_first)} | dict.fromkeys(rest, len(ends_first))
    return sorted(links, key=lambda id_: places.get(id_, 0))


def in_parts(links: Mapping[int, Sequence[Link]], ids: Mapping[int, str]) -> list[list[int]]:
    """The places of these memories in parts that can be written one after another.

    Those without links come first and together, then each after what it links to; those that lead to each other stay
    together.
    """
    written = {id_: place for place, id_ in ids.items()}
    nexts = {place: [written[each.target_id] for each in links[place] if each.target_id in written] for place in ids}
    after = {place: frozenset(reached([place], nexts, len(ids))) for place in ids if links[place]}
    parts: dict[frozenset[int], list[int]] = {}
    for place in sorted(after, key=lambda place: len(after[place])):
        parts.setdefault(after[place], []).append(place)
    without = [place for place in ids if place not in after]
    return [*([without] if without else []), *parts.values()]


def _edges(links: Iterable[tuple[str, Sequence[Link]]]) -> set[tuple[str, str, str]]:
    """The (before, relation, after) of orders among memories that are written together."""
    links = tuple(links)
    written = {source_id for source_id, _ in links}
    found = (forward(source_id, link) for source_id, sent in links for link in sent if link.target_id in written)
    return {edge for edge in found if edge[1] in ORDERED}


def _on_circles(edges: Iterable[tuple[str, str, str]], relation: str) -> set[str]:
    """The memories on the circles of one order, and between them."""
    order = {(first, second) for first, of_relation, second in edges if of_relation == relation}
    behind = _ends_first(order)[1]
    return _ends_first({(second, first) for first, second in order if {first, second} <= behind})[1]


def _ends_first(edges: Iterable[tuple[str, str]]) -> tuple[list[str], set[str]]:
    """Memories from the ends of their order to its beginnings, and those that lie before a circle or on one."""
    before: dict[str, list[str]] = {}
    left: dict[str, int] = {}
    for first, second in edges:
        before.setdefault(second, []).append(first)
        left[first] = left.get(first, 0) + 1
    sorted_ones = [each for each in before if each not in left]
    for each in sorted_ones:
        for first in before.get(each, ()):
            left[first] -= 1
            if not left[first]:
                sorted_ones.append(first)
    return sorted_ones, {each for each, count in left.items() if count}


class _Orders:
    """What stands right after a memory, and right before it, by relation."""

    def __init__(self) -> None:
        self._next: dict[tuple[str, bool], dict[str, dict[str, None]]] = {}

    def add(self, edge: tuple[str, str, str]) -> bool:
        """Whether the edge was not there."""
        first, relation, second = edge
        after = self._nexts(relation, back=False).setdefault(first, {})
        is_new = second not in after
        after[second] = None
        self._nexts(relation, back=True).setdefault(second, {})[first] = None
        return is_new

    def take(self, edge: tuple[str, str, str]) -> None:
        first, relation, second = edge
        del self._nexts(relation, back=False)[first][second]
        del self._nexts(relation, back=True)[second][first]

    def reach(self, relation: str) -> Reach[str]:
        return lambda nodes, back, most: reached(nodes, self._nexts(relation, back=back), most)

    def _nexts(self, relation: str, *, back: bool) -> dict[str, dict[str, None]]:
        return self._next.setdefault((relation, back), {})
