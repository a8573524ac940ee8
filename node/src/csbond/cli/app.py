"""The tree of commands, one file each."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond import __version__
from csbond.cli.card import card
from csbond.cli.demo.command import demo
from csbond.cli.doctor import doctor
from csbond.cli.groups import add_group, help_without_command
from csbond.cli.init import init
from csbond.cli.memory import commands as memory_commands
from csbond.cli.output import print_line
from csbond.cli.principal.add import add as add_principal
from csbond.cli.principal.list import list_principals
from csbond.cli.principal.remove import remove as remove_principal
from csbond.cli.send import send
from csbond.cli.serve import serve
from csbond.cli.status import status
from csbond.cli.talk import talk
from csbond.cli.thread.list import list_threads
from csbond.cli.thread.said import said
from csbond.cli.thread.search import search as search_threads
from csbond.cli.thread.show import show as show_thread

app = typer.Typer(
    name="csb",
    help="A home of its own for an AI agent: it talks A2A and remembers.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print_line(f"csb {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _before(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """A home of its own for an AI agent: it talks A2A and remembers."""
    help_without_command(context)


app.command("init")(init)
app.command("serve")(serve)
app.command("status")(status)
app.command("doctor")(doctor)
app.command("send")(send)
app.command("talk")(talk)
app.command("card")(card)
app.command("demo")(demo)

memory_commands.register(add_group(app, "memory", "What the node of the home remembers."))

_thread = add_group(app, "thread", "The long conversations of the node of the home.")
_thread.command("list")(list_threads)
_thread.command("show")(show_thread)
_thread.command("search")(search_threads)
_thread.command("said")(said)

_principal = add_group(app, "principal", "Who else may use the node of the home.")
_principal.command("add")(add_principal)
_principal.command("list")(list_principals)
_principal.command("remove")(remove_principal)
