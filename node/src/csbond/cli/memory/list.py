"""`csb memory list`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.entries import LevelOption, ProjectOption, TypeOption, print_entries
from csbond.cli.memory.filter_options import (
    LinkTargetOption,
    SinceOption,
    SourceOption,
    TagOption,
    ThreadOption,
    UntilOption,
    WordsOption,
    filter_of,
)
from csbond.cli.node_client import node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_next


def list_entries(
    kind: TypeOption = None,
    level: LevelOption = None,
    tag: TagOption = None,
    source: SourceOption = None,
    project: ProjectOption = None,
    thread: ThreadOption = None,
    link_target: LinkTargetOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    text: WordsOption = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="The deleted ones, which can be restored, instead of the living.")
    ] = False,
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """List what is remembered, newest first; every option narrows."""
    given = filter_of(kind, level, tag, source, project, thread, link_target, since, until, text)
    given |= {"deleted": "true"} if deleted else {}
    with node_of(chosen_home(home)) as node:
        page = node.get("/v1/memory", **given, limit=limit, cursor=after)
    if as_json:
        print_json(page)
    else:
        print_entries(page["memories"], "Nothing fits." if given or after else "No memories yet.")
        print_next(page)
    return 0
