"""How the links of an entry are set: those of the write are set or dropped, the rest stays, and no order leads back."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from csbond.flows.memory_changes import SetLinks
from csbond.protocol.errors import Refused
from csbond.protocol.memory.fresh_links import check_link_count, check_orders
from csbond.protocol.memory.link import INVERSE, Link, is_foreign
from csbond.protocol.memory.link_order import Walk
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.writing import Writing

_OTHER_END = {relation: inverse for inverse, relation in INVERSE.items()}
Pair = tuple[str, str]
"""A target and a relation: what tells the links of one entry apart."""


def set_links(transaction: Writing, write: SetLinks, walk: Walk) -> None:
    """Set and drop links of an entry: `memory_not_found`, `invalid_params` for too many, `link_cycle`."""
    row = _living_row(transaction, write.source_id, "source_id")
    known: dict[Pair, Link] = {}
    for target_id, relation, weight, made_by in transaction.run("links_of_row", {"row": row}):
        known[target_id, relation] = Link(target_id, relation, weight, made_by)
    wanted = {(link.target_id, link.relation): link for link in write.links}
    gone = (known.keys() & set(write.drop)) - wanted.keys()
    for target_id, relation in gone:
        transaction.run("drop_link", {"source_row": row, "target_id": target_id, "relation": relation})
    fresh: dict[int, tuple[Link, int]] = {}
    for place, (pair, link) in enumerate(wanted.items()):
        if pair not in known:
            target_row = _add(transaction, row, link, place, write.made_at)
            if target_row is not None:
                fresh[place] = link, target_row
        elif known[pair] != link:
            transaction.run("weigh_link", _bindings(row, link))
    transaction.run("note_links", {"row": row})
    if not wanted.keys() <= known.keys():
        check_link_count(len(known.keys() | wanted.keys()) - len(gone))
    check_orders(row, fresh, lambda relation: partial(_reached, transaction, relation), walk)


def _add(transaction: Writing, row: int, link: Link, place: int, made_at: int) -> int | None:
    """The row of the memory that a new link leads to; None for what is none."""
    target_row = None
    if not is_foreign(link.target_id):
        target_row = _living_row(transaction, link.target_id, f"links[{place}].target_id")
    transaction.run("add_link", _bindings(row, link) | {"target_row": target_row, "made_at": made_at})
    return target_row


def _bindings(row: int, link: Link) -> dict[str, Any]:
    return {
        "source_row": row,
        "relation": link.relation,
        "target_id": link.target_id,
        "weight": float(link.weight),
        "made_by": link.made_by,
    }


def _living_row(transaction: Writing, entry_id: str, field: str) -> int:
    """The row of an end of a link, the entry itself or what it leads to."""
    rows = transaction.run("link_end", {"id": entry_id})
    if not rows or rows[0][1]:
        raise Refused("memory_not_found", f"there is no memory {entry_id} for the link", field=field)
    return int(rows[0][0])


def _reached(transaction: Writing, relation: str, rows: Collection[int], back: bool, most: int) -> list[int]:
    """Rows and what follows them along a relation, or goes before them."""
    inverse = _OTHER_END.get(relation, "")
    bindings = {
        "rows": to_json(list(rows)),
        "relation": inverse if back else relation,
        "inverse": relation if back else inverse,
        "most": most,
    }
    return [row for (row,) in transaction.run("reached_in_order", bindings)]
