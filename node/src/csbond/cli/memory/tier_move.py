"""A memory is given another tier by name (MEM-003 §3.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import chosen_home
from csbond.cli.output import print_json, print_line

TierOption = Annotated[
    str | None, typer.Option("--to", metavar="TIER", help="hot, warm or cold, or the home's own name for it.")
]


def move_entry(
    way: Literal["promote", "demote"], entry_id: str, to: str | None, home: Path | None, *, as_json: bool
) -> int:
    """Ask the node for it, and say in which tier the entry is now."""
    with node_of(chosen_home(home)) as node:
        entry = node.patch(
            f"{path_of('/v1/memory', entry_id, absent='memory_not_found')}/{way}", {} if to is None else {"to": to}
        )
    print_json(entry) if as_json else print_line(f"{entry_id} is {entry['level']}")
    return 0
