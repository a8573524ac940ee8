"""Groups of commands: named without one of them, a group shows its help."""

from __future__ import annotations

import typer

from csbond.cli.output import print_line
from csbond.protocol.errors import EXIT_STATUS, Exit


def help_without_command(context: typer.Context) -> None:
    """Show the help of a group that is asked for nothing, and end as for any command that is not whole."""
    if context.invoked_subcommand is None:
        print_line(context.get_help())
        raise typer.Exit(EXIT_STATUS[Exit.USAGE])


def add_group(parent: typer.Typer, name: str, sentence: str) -> typer.Typer:
    """A new group below another one."""
    group = typer.Typer(rich_markup_mode=None, callback=help_without_command, invoke_without_command=True)
    parent.add_typer(group, name=name, help=sentence)
    return group
