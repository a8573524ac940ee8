"""What a command prints: one JSON document for programs, tables and plain lines for people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from csbond.cli.plain_text import one_line, plain, plain_json
from csbond.protocol.errors import CsbError, as_body

_PIPE_WIDTH = 160
"""Columns of a table that no terminal limits."""


def print_json(document: Any) -> None:
    """One JSON document on standard output; ASCII where the terminal speaks nothing else."""
    _write(plain_json(json.dumps(document, ensure_ascii=_ascii_only(sys.stdout), indent=2)) + "\n")


def print_line(text: str) -> None:
    """A line, or lines, for a person."""
    _write(plain(text) + "\n")


def print_piece(text: str) -> None:
    """A piece of a text that goes on, shown at once."""
    _write(plain(text))
    flush()


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], nothing: str = "") -> None:
    """Rows under their column names, the last column taking what room there is; `nothing` where there are none."""
    if not rows and nothing:
        print_line(nothing)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(columns[-1], overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    _print(table)


def print_fields(fields: Mapping[str, str]) -> None:
    """Names and values, a line each; values of several lines are indented below each other."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in fields.items():
        table.add_row(Text(one_line(name)), Text(plain(value)))
    _print(table)


def print_next(page: Mapping[str, Any]) -> None:
    """How to see more, where a list goes on."""
    if page.get("next_cursor"):
        print_line(f"There is more: add --after {page['next_cursor']}")


def flush() -> None:
    """Show what was printed now, although the command goes on."""
    sys.stdout.flush()


def print_error(fault: CsbError, as_json: bool) -> None:
    """An error on standard error: one line, or the one error shape."""
    if as_json:
        line = plain_json(json.dumps(as_body(fault), ensure_ascii=_ascii_only(sys.stderr)))
    else:
        line = one_line(f"csb: {fault.reason}" + (f" — {fault.next_step}" if fault.next_step else ""))
    if sys.stderr is None:
        return
    with suppress(OSError):  # the status alone says it
        sys.stderr.write(line + "\n")


def moment(milliseconds: object) -> str:
    """A time in this machine's zone, to the second; empty for 0."""
    if not isinstance(milliseconds, int) or not milliseconds:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _ascii_only(stream: TextIO | None) -> bool:
    return "utf" not in (getattr(stream, "encoding", "") or "").lower()


def _write(text: str) -> None:
    sys.stdout.write(text)


def _print(table: Table) -> None:
    """The table without the blanks that fill its lines up, so that what is piped on is clean."""
    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _PIPE_WIDTH
    console = Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as drawn:
        console.print(table)
    _write("".join(line.rstrip() + "\n" for line in drawn.get().splitlines()))
