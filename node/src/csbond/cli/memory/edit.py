"""`csb memory edit`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from csbond.cli.entries import EntryArgument, LevelOption, TagsOption, TypeOption, VisibilityOption, print_entry
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.outgoing import read_text
from csbond.cli.output import print_json
from csbond.protocol.errors import LocalProtocolError


def edit(
    entry_id: EntryArgument,
    content: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="The new text; - reads it from standard input.")
    ] = None,
    kind: TypeOption = None,
    level: LevelOption = None,
    tags: TagsOption = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")] = False,
    visibility: VisibilityOption = None,
    version: Annotated[
        int | None,
        typer.Option("--if-version", min=1, metavar="N", help="Only if this is still its version."),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Change the fields that are named; the version before is kept.

    Repeating: the entry stays as it is, and no new version is made.
    """
    given: dict[str, Any] = {"type": kind, "level": level, "tags": tags, "visibility": visibility}
    body = {name: each for name, each in given.items() if each}
    if content is not None:
        body["content"] = read_text(content)
    if no_tags:
        body["tags"] = []
    if not body:
        raise LocalProtocolError("invalid_params", "nothing to change is named", next_step="csb memory edit --help")
    with node_of(chosen_home(home)) as node:
        entry = node.put(path_of("/v1/memory", entry_id, absent="memory_not_found"), body, version)
    print_json(entry) if as_json else print_entry(entry)
    return 0
