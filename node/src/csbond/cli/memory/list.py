"""`csb memory list`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.entries import LevelOption, ProjectOption, TypeOption, print_entries
from csbond.cli.moments import TIME_FORMS, milliseconds_of
from csbond.cli.node_client import node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_next
from csbond.protocol.memory.entry import SOURCES


def list_entries(
    kind: TypeOption = None,
    level: LevelOption = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Only entries with this tag.")] = None,
    source: Annotated[str | None, typer.Option("--source", help=f"Where it comes from: {', '.join(SOURCES)}.")] = None,
    project: ProjectOption = None,
    thread: Annotated[str | None, typer.Option("--thread", metavar="T", help="The thread it comes from.")] = None,
    link_target: Annotated[
        str | None, typer.Option("--link-target", metavar="TARGET", help="Only entries that link to this.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help=f"Of then or later: {TIME_FORMS}.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Of then or earlier.")] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="WORDS", help="Only entries that hold all of these words.")
    ] = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="The deleted ones, which can be restored, instead of the living.")
    ] = False,
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """List what is remembered, newest first; every option narrows."""
    given: dict[str, str | int | None] = {
        "type": kind,
        "level": level,
        "tag": tag,
        "source": source,
        "project": project,
        "thread": thread,
        "link_target": link_target,
        "since": None if since is None else milliseconds_of("since", since),
        "until": None if until is None else milliseconds_of("until", until),
        "text": text,
        "deleted": "true" if deleted else None,
    }
    narrowed = any(each is not None for each in given.values())
    with node_of(chosen_home(home)) as node:
        page = node.get("/v1/memory", **given, limit=limit, cursor=after)
    if as_json:
        print_json(page)
    else:
        print_entries(page["memories"], "Nothing fits." if narrowed or after else "No memories yet.")
        print_next(page)
    return 0
