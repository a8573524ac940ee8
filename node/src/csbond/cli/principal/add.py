"""`csb principal add`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, NameArgument, chosen_home
from csbond.cli.output import print_json, print_line
from csbond.protocol.messages.caller import Role


def add(
    name: NameArgument,
    role: Annotated[
        Role,
        typer.Option("--role", help="viewer reads conversations and memory of its Spaces; editor also writes memory."),
    ],
    spaces: Annotated[
        list[str] | None,
        typer.Option("--space", metavar="SPACE", help="A Space it may read, home if none is given; may come again."),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Name somebody who may use the node, and print their token; only its digest is kept.

    With it they talk to the node under their own name, and read what is said in their Spaces: in home, that is every
    conversation, and of memory what is public or trusted. What an editor writes in memory is its own to change.

    Repeating: refused while the name is taken. To give a new token, remove the name first.
    """
    body = {"name": name, "role": role} | ({"spaces": spaces} if spaces else {})
    with node_of(chosen_home(home)) as node:
        made = node.post("/v1/principals", body)
    if as_json:
        print_json(made)
    else:
        print_line(
            f"{made['name']} is {made['role']} in {', '.join(made.get('spaces', []))}. The token, shown only now:"
        )
        print_line(made["token"])
    return 0
