"""`csb thread list`."""

from __future__ import annotations

from csbond.cli.node_client import node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import moment, print_json, print_next, print_table


def list_threads(
    limit: LimitOption = 20, after: CursorOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> int:
    """List the threads, the latest first."""
    with node_of(chosen_home(home)) as node:
        page = node.get("/v1/continuity/threads", limit=limit, cursor=after)
    if as_json:
        print_json(page)
        return 0
    print_table(
        ["thread", "last said", "messages", "with", "title"],
        [
            [
                str(thread["thread_id"]),
                moment(thread.get("updated_at")),
                str(thread.get("message_count", "")),
                str(thread.get("caller", "")),
                str(thread.get("title", "")),
            ]
            for thread in page["threads"]
        ],
        "No threads yet.",
    )
    print_next(page)
    return 0
