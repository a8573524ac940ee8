"""`csb demo`."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from csbond.cli.demo.processes import NodeProcess, new_agent
from csbond.cli.demo.story import Storyteller, tell_story
from csbond.cli.output import print_table

FIRST, SECOND = ("Mira", "🌊"), ("小舟", "⛵")


def demo(
    stay: Annotated[
        bool | None,
        typer.Option("--stay/--no-stay", help="Leave the two nodes running until Ctrl-C; by default on a terminal."),
    ] = None,
) -> int:
    """Show two agents with separate homes: they talk, remember, search in two languages, and survive kill -9.

    Everything is made in a temporary place and taken away at the end.

    Repeating: begins anew with fresh homes.
    """
    console = Console(highlight=False, soft_wrap=False)
    teller = Storyteller(
        heading=lambda text: console.print("", Rule(text, align="left"), ""),
        say=lambda who, what: console.print(_spoken(who, what)),
        note=lambda text: console.print(Text(text, style="dim"), soft_wrap=True),
        table=print_table,
    )
    with tempfile.TemporaryDirectory(prefix="csbond-demo-") as place:
        nodes: list[NodeProcess] = []
        try:
            for name, emoji in (FIRST, SECOND):
                nodes.append(new_agent(Path(place), name, emoji))
                nodes[-1].start()
            tell_story(nodes[0], nodes[1], teller)
            _look_further(nodes, teller)
            if stay if stay is not None else sys.stdin.isatty():
                _wait_for_ctrl_c(teller)
        except KeyboardInterrupt:
            teller.note("Interrupted.")
        finally:
            for node in nodes:
                node.stop()
    teller.note("Both nodes have ended and their homes are gone.")
    return 0


def _spoken(who: str, what: str) -> Table:
    """A line of the talk: who stands beside what is said, however long it is."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=6, justify="right", style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(who, Text(what))
    return grid


def _look_further(nodes: Sequence[NodeProcess], teller: Storyteller) -> None:
    teller.heading("Look further")
    for node in nodes:
        teller.note(f"{node.name}: {node.url}")
        teller.note(f"  csb send {node.url} 'Hello' --home {node.home}")
        teller.note(f"  csb memory list --home {node.home}")
        teller.note(f"  csb card {node.url}")


def _wait_for_ctrl_c(teller: Storyteller) -> None:
    teller.note("Both nodes go on until you press Ctrl-C.")
    sys.stdout.flush()
    signal.pause()
