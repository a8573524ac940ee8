"""`csb memory snapshot create`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from csbond.cli.entries import LevelOption, ProjectOption, TypeOption, how_many
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
from csbond.cli.memory.snapshot.files import PLACE
from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line
from csbond.cli.progress import progress


def create(
    description: Annotated[
        str, typer.Option("--description", metavar="TEXT", help="What it is for; whoever loads it reads that.")
    ] = "",
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
    embeddings: Annotated[bool, typer.Option("--embeddings", help="Put the vectors in it, too.")] = False,
    no_links: Annotated[bool, typer.Option("--no-links", help="Leave the links out.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make a snapshot of the memories that fit every option, of all without one (MEM-006 §6.1).

    It keeps no copies: what is deleted later is not in it any more. Private memories are in it like all others.

    Repeating: each time another snapshot.
    """
    body: dict[str, Any] = {"description": description, "embeddings": embeddings, "links": not no_links}
    wanted = filter_of(kind, level, tag, source, project, thread, link_target, since, until, text)
    with node_of(chosen_home(home), LONG_S) as node, progress(None, "Making a snapshot", shown=not as_json):
        head = node.post(PLACE, body | ({"filter": wanted} if wanted else {}))
    if as_json:
        print_json(head)
    else:
        print_line(f"{head['id']} holds {how_many(head['totalCount'])}")
        print_line(f"To have it as a file: csb memory snapshot get {head['id']}")
    return 0
