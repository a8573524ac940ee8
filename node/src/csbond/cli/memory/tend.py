"""`csb memory tend`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from csbond.cli.memory.moves import print_tended
from csbond.cli.moments import TIME_FORMS, milliseconds_of
from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json
from csbond.cli.progress import progress


def tend(
    now: Annotated[str | None, typer.Option("--now", metavar="TIME", help=f"As of another time: {TIME_FORMS}.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="As of a time ahead: delete and clear for good too, not only move.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Do at once what the node does by itself in time: memories rise, sink, are deleted and cleared as they are due.

    Repeating: as of the same time nothing is left to do.
    """
    body: dict[str, Any] = {} if now is None else {"as_of": milliseconds_of("now", now)}
    body |= ({"dry_run": True} if dry_run else {}) | ({"clear": True} if clear else {})
    with node_of(chosen_home(home), LONG_S) as node, progress(None, "Tending", shown=not as_json):
        tended = node.post("/v1/memory/tend", body)
    print_json(tended) if as_json else print_tended(tended)
    return 0
