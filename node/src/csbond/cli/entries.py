"""Memory entries as people see them, and the choices their options take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from csbond.cli.output import moment, print_fields, print_table
from csbond.protocol.memory.entry import EntryType, Visibility

TypeOption = Annotated[EntryType | None, typer.Option("--type", help="What kind of memory it is.")]
LevelOption = Annotated[
    str | None, typer.Option("--level", metavar="TIER", help="hot, warm or cold, or the home's own name for it.")
]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be given again.")]
VisibilityOption = Annotated[Visibility | None, typer.Option("--visibility", help="Who may be told of it.")]
ProjectOption = Annotated[str | None, typer.Option("--project", metavar="NAME", help="The project it belongs to.")]
EntryArgument = Annotated[str, typer.Argument(metavar="ID", help="The entry, e.g. mem_1700000000000_k3x9.")]

_BECAUSE = {
    "uses": "it is used often",
    "found": "it was found by meaning",
    "unused": "unless it is used",
    "ttl": "its time to live ends",
    "rule": "a rule takes it",
}


def print_entries(entries: Iterable[Mapping[str, Any]], nothing: str) -> None:
    """A row an entry, with its score where a search gave one; or the line `nothing`."""
    rows = list(entries)
    scored = any("score" in entry for entry in rows)
    columns = ["id", "when", "type", "tier", "tags", "content"]
    print_table(["score", *columns] if scored else columns, [_row(entry, scored=scored) for entry in rows], nothing)


def print_entry(entry: Mapping[str, Any]) -> None:
    """All of one entry, a long text whole."""
    metadata = entry.get("metadata", {})
    origin = entry.get("origin", {})
    lines = {
        "id": str(entry["id"]),
        "content": str(entry.get("text") or entry["content"]),
        "type": str(entry["type"]),
        "tier": str(entry["level"]),
        "tags": ", ".join(entry.get("tags", [])),
        "visibility": str(entry.get("visibility", "")),
        "when": moment(entry["timestamp"]),
        "source": str(entry.get("source", "")),
        "said by": str(origin.get("speaker") or origin.get("caller") or ""),
        "thread": str(origin.get("thread_id") or ""),
        "project": str(metadata.get("project") or ""),
        "links": "\n".join(" ".join(filter(None, row)) for row in link_rows(entry)),
        "network": _network_line(entry.get("link_metadata", {})),
        "version": str(metadata.get("version", "")),
        "deleted": moment(metadata.get("deleteTime", 0)),
        **_outlook_lines(entry.get("outlook")),
    }
    print_fields({name: value for name, value in lines.items() if value})


def how_many(count: int) -> str:
    """A number of memories, in words."""
    return f"{count} {'memory' if count == 1 else 'memories'}"


def link_rows(entry: Mapping[str, Any]) -> list[list[str]]:
    """Relation, target and weight of each link of an entry, and which rule of the node made it, if one did."""
    return [
        [str(link["relation"]), str(link["target_id"]), f"{link['weight']:g}", str(link.get("made_by", ""))]
        for link in entry.get("links", [])
    ]


def _network_line(computed: Mapping[str, Any]) -> str:
    """Where an entry stands in the network of links, as far as the node has computed it."""
    if "network_id" not in computed:
        return ""
    return f"{computed['network_id']}, centrality {computed['centrality']:g}, in {', '.join(computed['clusters'])}"


def _outlook_lines(outlook: Mapping[str, Any] | None) -> dict[str, str]:
    """What counts for the tier of an entry, and when it moves if nobody uses it any more."""
    if not outlook:
        return {}
    return {
        "uses": f"{outlook['uses']:g} of {outlook['uses_wanted']:g}",
        "score": f"{outlook['score']:g} of {outlook['score_wanted']:g}",
        "pinned": "yes" if outlook["pinned"] else "",
        "next move": _next_move(outlook["next_move"]),
    }


def _next_move(move: Mapping[str, Any] | None) -> str:
    if not move:
        return "none by itself"
    because = f"by the rule {move['rule']}" if move.get("rule") else _BECAUSE.get(move["because"], move["because"])
    asked = ", if a person says yes" if move.get("asked") else ""
    return f"{move['to']} at {moment(move['at'])}: {because}{asked}"


def _row(entry: Mapping[str, Any], *, scored: bool) -> list[str]:
    row = [
        str(entry["id"]),
        moment(entry["timestamp"]),
        str(entry["type"]),
        str(entry["level"]),
        " ".join(entry.get("tags", [])),
        str(entry["content"]),
    ]
    return [f"{entry.get('score', 0):.2f}", *row] if scored else row
