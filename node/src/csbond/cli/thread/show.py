"""`csb thread show`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_next
from csbond.cli.spoken import print_messages


def show(
    thread_id: Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id, as `csb thread list` shows it.")],
    limit: LimitOption = 50,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what was said last in a thread, oldest first; --after goes on with what was said before."""
    with node_of(chosen_home(home)) as node:
        page = node.get(path_of("/v1/continuity/thread", thread_id), limit=limit, cursor=after)
    if as_json:
        print_json(page)
    else:
        print_messages(page["messages"])
        print_next(page)
    return 0
