"""`csb thread search`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json
from csbond.cli.spoken import print_messages


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words that must all be in a message.")],
    limit: LimitOption = 20,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Find messages by their words, in all threads; Chinese and English."""
    with node_of(chosen_home(home)) as node:
        answer = node.get("/v1/continuity/search", q=query, limit=limit)
    if as_json:
        print_json(answer)
        return 0
    print_messages(answer["results"], "Nothing fits.", with_thread=True)
    return 0
