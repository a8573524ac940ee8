"""How the demonstration looks: at most 80 columns, names on one side and what is said on the other."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from csbond.cli.plain_text import plain

WIDTH = 80
"""Columns that every terminal has, and that read well on a wider one."""
_NAMES = 6
"""Columns of a name: three Chinese characters."""


class Storyteller:
    """Prints the story; what is printed is on the screen at once."""

    def __init__(self) -> None:
        terminal = Console(highlight=False, markup=False, emoji=False)
        self._console = Console(width=min(WIDTH, terminal.width), highlight=False, markup=False, emoji=False)
        self._chapters = 0

    def title(self, lines: Sequence[str]) -> None:
        """What is about to be told."""
        self._print("", *(Text(f"  {line}", style="bold") for line in lines))

    def chapter(self, english: str, chinese: str) -> None:
        """The next part, by its name in both languages; the line is as long in either."""
        self._chapters += 1
        self.heading(f"{self._chapters}  {english} · {chinese}")

    def heading(self, words: str) -> None:
        """A part without a number."""
        rule = "─" * max(0, self._console.width - cell_len(words) - 4)
        self._print("", Text.assemble(("── ", "dim"), (words, "bold"), (f" {rule}", "dim")), "")

    def say(self, who: str, what: str) -> None:
        """Who stands beside what is said, however long it is."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(width=_NAMES, justify="right", style="bold", no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(Text(plain(who)), Text(plain(what)))
        self._print(Padding(grid, (0, 0, 0, 2)))

    def add(self, remark: str) -> None:
        """A remark on what was said last, below it."""
        self._print(Padding(Text(plain(remark), style="dim"), (0, 0, 0, _NAMES + 4)))

    def note(self, text: str) -> None:
        """A sentence of the story itself."""
        self._print(Padding(Text(plain(text), style="dim"), (0, 0, 0, 2)))

    def commands(self, commands: Sequence[str]) -> None:
        """Lines to copy, each whole however long it is."""
        for command in commands:
            self._console.print(Text(f"    {plain(command)}"), soft_wrap=True)
        sys.stdout.flush()

    def _print(self, *shown: RenderableType) -> None:
        """Without the blanks that fill lines up, so that what is piped on is clean."""
        for each in shown:
            with self._console.capture() as drawn:
                self._console.print(each)
            sys.stdout.write("".join(f"{line.rstrip()}\n" for line in drawn.get().splitlines()))
        sys.stdout.flush()
