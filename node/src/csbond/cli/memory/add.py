"""`csb memory add`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from csbond.cli.entries import LevelOption, TagsOption, TypeOption, VisibilityOption, print_entry
from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.outgoing import read_text
from csbond.cli.output import print_json


def add(
    content: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads it from standard input.")],
    kind: TypeOption = None,
    level: LevelOption = None,
    tags: TagsOption = None,
    visibility: VisibilityOption = None,
    wait: Annotated[bool, typer.Option("--wait", help="End only when a search by meaning finds it.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Remember a text of up to 2,048 characters.

    Repeating: makes another entry with the same text.
    """
    given: dict[str, Any] = {"type": kind, "level": level, "tags": tags, "visibility": visibility}
    body = {"content": read_text(content), "source": "user"} | {name: each for name, each in given.items() if each}
    with node_of(chosen_home(home)) as node:
        entry = node.post("/v1/memory", body, **({"wait": "index"} if wait else {}))
    print_json(entry) if as_json else print_entry(entry)
    return 0
