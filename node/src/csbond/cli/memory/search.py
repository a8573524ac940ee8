"""`csb memory search`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from csbond.cli.entries import LevelOption, print_entries
from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_line


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words or a question, in any language.")],
    level: LevelOption = None,
    limit: LimitOption = 10,
    threshold: Annotated[
        float | None, typer.Option("--threshold", min=0.0, max=1.0, help="Leave out what scores less, from 0 to 1.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say of each result why it was found.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Find what is remembered, by words and, where the extra `semantic` is installed, by meaning."""
    given = {"level": level, "threshold": threshold}
    body = {"query": query, "limit": limit} | {name: each for name, each in given.items() if each is not None}
    body |= {"explain": True} if explain else {}
    with node_of(chosen_home(home)) as node:
        answer = node.post("/v1/memory/search", body)
    if as_json:
        print_json(answer)
        return 0
    print_entries(answer["results"], "Nothing fits.")
    for found in answer["results"]:
        if why := found.get("why"):
            print_line(_reason(found["id"], why))
    if explain and answer.get("left_off"):
        print_line(f"Left off for want of room: {answer['left_off']}.")
    if not answer.get("semantic", True):
        print_line("Searched by words only: the node has no sentence embedder.")
    return 0


def _reason(entry_id: str, why: Mapping[str, Any]) -> str:
    """One line of what spoke for a result."""
    words, meaning = why["words"], why["meaning"]
    said = []
    if words is not None:
        terms = ", ".join(str(each["term"]) for each in words["terms"])
        said.append(f"words cover {words['coverage']:.2f} of the query" + (f" ({terms})" if terms else ""))
    if meaning is not None:
        said.append(f"meaning is near by {meaning['cosine']:.2f}")
    return f"{entry_id}: {'; '.join(said)}"
