"""`csb memory links`."""

from __future__ import annotations

from typing import Any

from csbond.cli.entries import EntryArgument, link_rows
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_next, print_table


def links(
    entry_id: EntryArgument,
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what an entry links to, and which entries link to it."""
    with node_of(chosen_home(home)) as node:
        entry = node.get(path_of("/v1/memory", entry_id, absent="memory_not_found"))
        page = node.get("/v1/memory", link_target=entry_id, limit=limit, cursor=after)
    if as_json:
        backward = [each for other in page["memories"] for each in _back(entry_id, other)]
        print_json({"links": entry.get("links", []), "linked_by": backward, "next_cursor": page["next_cursor"]})
        return 0
    rows = [["to", relation, weight, target] for relation, target, weight in link_rows(entry)]
    for other in page["memories"]:
        rows += [["from", each["relation"], f"{each['weight']:g}", _named(other)] for each in _back(entry_id, other)]
    print_table(["", "relation", "weight", "entry"], rows, "No links.")
    print_next(page)
    return 0


def _back(entry_id: str, other: Any) -> list[dict[str, Any]]:
    """The links of another entry that lead here, by where they come from."""
    return [
        {"source_id": other["id"], "relation": link["relation"], "weight": link["weight"]}
        for link in other.get("links", [])
        if link["target_id"] == entry_id
    ]


def _named(entry: Any) -> str:
    return f"{entry['id']} {entry['content']}"
