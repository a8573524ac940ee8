"""`csb talk`."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.addresses import agent_address
from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.outgoing import read_text
from csbond.cli.output import print_json, print_line


def talk(
    url: Annotated[str, typer.Argument(metavar="URL", help="The other agent's address.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say; - reads it from standard input.")],
    thread: Annotated[str, typer.Option("--thread", metavar="T", help="The long conversation it belongs to.")] = "",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Have the node of the home say something to another agent, and show the answer.

    Both sides keep the talk in a thread of their own.

    Repeating: a new message each time, with an answer of its own.
    """
    body = {"url": agent_address(url), "text": read_text(text)} | ({"thread": thread} if thread else {})
    with node_of(chosen_home(home)) as node:
        document = node.post("/v1/talk", body)
    if as_json:
        print_json(document)
    else:
        speaker = str(document.get("name") or url)
        print_line(f"{speaker}: {document.get('text', '')}")
    return 0
