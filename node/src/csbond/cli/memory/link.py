"""`csb memory link`."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from csbond.cli.entries import EntryArgument
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.link import RELATIONS


def link(
    entry_id: EntryArgument,
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A memory's id, or <scheme>:<name> for another thing.")
    ],
    relation: Annotated[
        str | None,
        typer.Option("--relation", metavar="NAME", help=f"{', '.join(RELATIONS)}, or a name of yours."),
    ] = None,
    weight: Annotated[
        float | None, typer.Option("--weight", min=0.0, max=1.0, help="How strong it is, from 0 to 1.")
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the link away; without --relation, every link to the target.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Link an entry to another one, as relates_to unless you say how.

    Repeating: a link that is there stays as it is, one that is gone stays gone, and no new version is made.
    """
    if remove and weight is not None:
        raise LocalProtocolError("invalid_params", "what is removed has no weight", field="weight")
    if weight is not None and math.isnan(weight):
        raise LocalProtocolError("invalid_params", "the weight must be a number from 0 to 1", field="weight")
    given = {"target_id": target, "relation": relation, "weight": weight}
    body: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
    with node_of(chosen_home(home)) as node:
        entry = node.patch(
            path_of("/v1/memory", entry_id, absent="memory_not_found") + "/link",
            {"remove": [body]} if remove else {"add": [body]},
        )
    if as_json:
        print_json(entry)
    else:
        print_line(f"{entry_id} {'no longer links' if remove else 'links'} to {target}")
    return 0
