"""`csb thread said`."""

from __future__ import annotations

from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, NameArgument, chosen_home
from csbond.cli.output import print_json, print_line, print_next
from csbond.cli.spoken import print_messages


def said(
    name: NameArgument,
    limit: LimitOption = 50,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what somebody of a name said, in all threads, the latest first.

    Anybody may give a name; those of one name are shown apart by their DIDs (CSB v1.0 §1.2.3).
    """
    with node_of(chosen_home(home)) as node:
        page = node.get(path_of("/v1/continuity/agent", name), limit=limit, cursor=after)
    if as_json:
        print_json(page)
        return 0
    for agent in page["agents"]:
        print_line(f"{page['agent_name']}, {agent['did'] or 'who showed no DID'}:")
        print_messages(agent["messages"], with_thread=True)
    print_next(page)
    return 0
