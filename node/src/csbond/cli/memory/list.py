"""`csb memory list`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.entries import LevelOption, TypeOption, print_entries
from csbond.cli.node_client import node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_next


def list_entries(
    kind: TypeOption = None,
    level: LevelOption = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Only entries with this tag.")] = None,
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """List what is remembered, newest first."""
    with node_of(chosen_home(home)) as node:
        page = node.get("/v1/memory", type=kind, level=level, tag=tag, limit=limit, cursor=after)
    if as_json:
        print_json(page)
    else:
        print_entries(page["memories"], "Nothing fits." if kind or level or tag or after else "No memories yet.")
        print_next(page)
    return 0
