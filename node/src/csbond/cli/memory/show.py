"""`csb memory show`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from csbond.cli.entries import EntryArgument, print_entry
from csbond.cli.node_client import NodeClient, node_of, path_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_next, print_table


def show(
    entry_id: EntryArgument,
    versions: Annotated[
        bool, typer.Option("--versions", help="What it was before, the latest first, instead of what it is.")
    ] = False,
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show all of one entry; the pieces of a long text are joined again.

    --limit and --after are about its versions.
    """
    place = path_of("/v1/memory", entry_id, absent="memory_not_found")
    with node_of(chosen_home(home)) as node:
        found = node.get(f"{place}/versions", limit=limit, cursor=after) if versions else _whole(node, place)
    if as_json:
        print_json(found)
    elif versions:
        print_table(
            ["version", "type", "tier", "tags", "content"], [_row(each) for each in found["versions"]], "No others."
        )
        print_next(found)
    else:
        print_entry(found)
    return 0


def _whole(node: NodeClient, place: str) -> dict[str, Any]:
    """The entry with all of its text, however many answers that takes."""
    found: dict[str, Any] = node.get(place)
    part = found
    while part.get("next_cursor"):
        part = node.get(place, cursor=part["next_cursor"])
        found = {**part, "text": found["text"] + part["text"], "pieces": found["pieces"] + part["pieces"]}
    return found


def _row(entry: Mapping[str, Any]) -> list[str]:
    metadata, tags = entry["metadata"], " ".join(entry["tags"])
    return [str(metadata["version"]), str(entry["type"]), str(entry["level"]), tags, str(entry["content"])]
