"""How the links of an entry are set: what is visible is replaced, what is hidden stays, and no order leads back."""

from __future__ import annotations

from typing import Any

from csbond.flows.memory_changes import SetLinks
from csbond.protocol.errors import Refused
from csbond.protocol.memory.link import INVERSE, ORDERED, WALK_MAX, Link, forward, is_foreign
from csbond.store.writing.writing import Writing

_OTHER_END = {relation: inverse for inverse, relation in INVERSE.items()}
Pair = tuple[str, str]
"""A target and a relation: what tells the links of one entry apart."""


def set_links(transaction: Writing, write: SetLinks) -> None:
    """Let the visible links of an entry be those of the write: `memory_not_found`, `link_cycle`."""
    row = _living_row(transaction, write.source_id, "source_id")
    known = {
        (target_id, relation): (Link(target_id, relation, weight, made_by), bool(visible))
        for target_id, relation, weight, made_by, visible in transaction.run("links_of_row", {"row": row})
    }
    wanted = {(link.target_id, link.relation): link for link in write.links}
    for pair, (_, visible) in known.items():
        if pair not in wanted and (visible or _dropped(write, pair)):
            transaction.run("drop_link", {"source_row": row, "target_id": pair[0], "relation": pair[1]})
    fresh: list[tuple[int, Link, int]] = []
    for place, (pair, link) in enumerate(wanted.items()):
        if pair in known:
            if known[pair][0] != link:
                transaction.run("weigh_link", _bindings(row, link))
            continue
        target_row = None
        if not is_foreign(link.target_id):
            target_row = _living_row(transaction, link.target_id, f"links[{place}].target_id")
            fresh.append((place, link, target_row))
        made = {"target_row": target_row, "made_at": write.made_at}
        transaction.run("add_link", _bindings(row, link) | made)
    transaction.run("note_links", {"row": row})
    for place, link, target_row in fresh:
        _check_order(transaction, {write.source_id: row, link.target_id: target_row}, write.source_id, link, place)


def _bindings(row: int, link: Link) -> dict[str, Any]:
    return {
        "source_row": row,
        "relation": link.relation,
        "target_id": link.target_id,
        "weight": float(link.weight),
        "made_by": link.made_by,
    }


def _living_row(transaction: Writing, entry_id: str, field: str) -> int:
    rows = transaction.run("link_end", {"id": entry_id})
    if not rows or rows[0][1]:
        raise Refused("memory_not_found", f"there is no memory {entry_id} to link", field=field)
    return int(rows[0][0])


def _dropped(write: SetLinks, pair: Pair) -> bool:
    return pair in write.drop or (pair[0], "") in write.drop


def _check_order(transaction: Writing, rows: dict[str, int], source_id: str, link: Link, place: int) -> None:
    """Nothing, unless what follows the end of an ordered link leads to its beginning, or nobody can tell."""
    start, relation, end = forward(source_id, link)
    if relation not in ORDERED:
        return
    bindings = {
        "start": rows[end],
        "goal": rows[start],
        "relation": relation,
        "inverse": _OTHER_END.get(relation, ""),
        "most": WALK_MAX + 1,
    }
    leads_back, seen = transaction.run("leads_back", bindings)[0]
    if leads_back or seen > WALK_MAX:
        raise Refused(
            "link_cycle",
            f"the link {link.relation} to {link.target_id} would lead back to where it began",
            next_step="choose relates_to, or drop a link of the circle",
            field=f"links[{place}]",
        )
