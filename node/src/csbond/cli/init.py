"""`csb init`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.options import HomeOption, JsonOption, chosen_path
from csbond.cli.output import print_json, print_line
from csbond.config.home import create_home
from csbond.config.identity import identity_document
from csbond.config.system import SystemClock, SystemIdentifiers


def init(
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the agent is called; 1 to 64 characters.")],
    home: HomeOption = None,
    emoji: Annotated[str, typer.Option("--emoji", metavar="E", help="A picture that stands for it.")] = "",
    domain: Annotated[
        str, typer.Option("--domain", metavar="D", help="Its domain; adds the alias did:csb:D:agent:NAME.")
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Make a home for an agent: its identity, its key, its owner's token and its settings.

    Repeating: refused; nothing that is there is overwritten.
    """
    made = create_home(chosen_path(home), name, emoji, domain, SystemClock(), SystemIdentifiers())
    if as_json:
        print_json({"home": str(made.path), "identity": identity_document(made.identity)})
        return 0
    print_line(f"{made.identity.name} has a home at {made.path}")
    print_line(f"  {made.identity.did}")
    print_line(f"Next: csb serve --home {made.path}")
    return 0
