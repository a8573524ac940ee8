"""`csb memory snapshot log`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.cli.node_client import node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import moment, print_json, print_next, print_table


def log(
    limit: LimitOption = 20, after: CursorOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> int:
    """List the snapshots that were loaded, the latest first, with what became of their memories (MEM-006 §6.3)."""
    with node_of(chosen_home(home)) as node:
        page = node.get("/v1/memory/snapshot-log", limit=limit, cursor=after)
    if as_json:
        print_json(page)
        return 0
    columns = ["loaded", "made by", "new", "same", "replaced", "conflicts", "deleted here", "checksum", "from"]
    print_table(columns, [_row(load) for load in page["loads"]], "Nothing yet.")
    print_next(page)
    return 0


def _row(load: Mapping[str, Any]) -> list[str]:
    counts = load["counts"]
    return [
        moment(load["loaded_at"]),
        str(load["agent"]),
        *(str(counts[name]) for name in ("loaded", "same", "replaced", "conflicts", "deleted_here")),
        str(load["checksum"])[:19],
        str(load["source"]),
    ]
