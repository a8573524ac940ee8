"""`csb principal remove`."""

from __future__ import annotations

from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, NameArgument, chosen_home
from csbond.cli.output import print_json, print_line


def remove(name: NameArgument, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Take somebody's token away at once; what they wrote stays.

    Repeating: answers that there is nobody of that name.
    """
    with node_of(chosen_home(home)) as node:
        answer = node.delete(path_of("/v1/principals", name, absent="principal_not_found"))
    if as_json:
        print_json(answer if answer is not None else {"name": name, "removed": True})
    else:
        print_line(f"{name} may no longer use the node")
    return 0
