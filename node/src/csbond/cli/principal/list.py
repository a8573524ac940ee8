"""`csb principal list`."""

from __future__ import annotations

from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import moment, print_json, print_table


def list_principals(home: HomeOption = None, as_json: JsonOption = False) -> int:
    """List who may use the node, without their tokens."""
    with node_of(chosen_home(home)) as node:
        page = node.get("/v1/principals")
    if as_json:
        print_json(page)
        return 0
    print_table(
        ["name", "role", "since", "Spaces"],
        [
            [str(each["name"]), str(each["role"]), moment(each.get("created_at")), " ".join(each.get("spaces", []))]
            for each in page["principals"]
        ],
        "Nobody but the owner yet.",
    )
    return 0
