"""The options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from csbond.config.home import Home, open_home
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.listing import PAGE_SIZE_MAX

HomeOption = Annotated[
    Path | None, typer.Option("--home", metavar="DIR", envvar="CSB_HOME", help="The agent's home.", show_default=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document; errors are JSON on standard error.")]

LimitOption = Annotated[int, typer.Option("--limit", min=1, max=PAGE_SIZE_MAX, metavar="N", help="At most so many.")]
CursorOption = Annotated[
    str | None, typer.Option("--after", metavar="CURSOR", help="Go on where a list ended; it says how.")
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Who it is.")]


def chosen_path(home: Path | None) -> Path:
    """The place named by `--home` or `CSB_HOME`; `home_missing` says what to type."""
    if home is None:
        raise LocalProtocolError(
            "home_missing",
            "no agent home is named: give --home DIR or set CSB_HOME",
            next_step="to make one: csb init --home DIR --name NAME",
        )
    return home


def chosen_home(home: Path | None) -> Home:
    """The home named by `--home` or `CSB_HOME`; `home_missing` says what to type."""
    return open_home(chosen_path(home))
