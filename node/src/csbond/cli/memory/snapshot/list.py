"""`csb memory snapshot list`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.cli.node_client import node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import moment, print_json, print_next, print_table


def list_snapshots(
    limit: LimitOption = 20, after: CursorOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> int:
    """List the snapshots that were made, as they were then, the latest first."""
    with node_of(chosen_home(home)) as node:
        page = node.get("/v1/memory/snapshots", limit=limit, cursor=after)
    if as_json:
        print_json(page)
        return 0
    columns = ["id", "made", "memories", "links", "vectors", "description"]
    print_table(columns, [_row(head) for head in page["snapshots"]], "Nothing yet.")
    print_next(page)
    return 0


def _row(head: Mapping[str, Any]) -> list[str]:
    return [
        str(head["id"]),
        moment(head["created"]),
        str(head["totalCount"]),
        "yes" if head["includes_links"] else "no",
        str(head.get("embedding_model") or ("supplied" if head["includes_embeddings"] else "no")),
        str(head["description"]),
    ]
