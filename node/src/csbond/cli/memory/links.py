"""`csb memory links`."""

from __future__ import annotations

from typing import Any

from csbond.cli.entries import EntryArgument, link_rows
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_next, print_table

_TOLD = ("relation", "weight", "made_by")


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
    rows = [["to", relation, weight, made_by, target] for relation, target, weight, made_by in link_rows(entry)]
    for other in page["memories"]:
        rows += [
            ["from", each["relation"], f"{each['weight']:g}", each.get("made_by", ""), _named(other)]
            for each in _back(entry_id, other)
        ]
    columns = ["", "relation", "weight", "made by", "entry"]
    if not any(made_by for _, _, _, made_by, _ in rows):
        rows, columns = [[*row[:3], row[4]] for row in rows], [*columns[:3], columns[4]]
    print_table(columns, rows, "No links.")
    print_next(page)
    return 0


def _back(entry_id: str, other: Any) -> list[dict[str, Any]]:
    """The links of another entry that lead here, by where they come from."""
    return [
        {"source_id": other["id"], **{name: each for name, each in link.items() if name in _TOLD}}
        for link in other.get("links", [])
        if link["target_id"] == entry_id
    ]


def _named(entry: Any) -> str:
    return f"{entry['id']} {entry['content']}"
