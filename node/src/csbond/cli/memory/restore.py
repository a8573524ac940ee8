"""`csb memory restore`."""

from __future__ import annotations

from csbond.cli.entries import EntryArgument
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import moment, print_json, print_line


def restore(entry_id: EntryArgument, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Bring a deleted entry back, with every piece of its text and its links, within 30 days (MEM-005 §5.2).

    No rule and no time to live takes it again for 90 days. Repeating: what lives stays as it is, and the answer is the
    same.
    """
    with node_of(chosen_home(home)) as node:
        answer = node.patch(path_of("/v1/memory", entry_id, absent="memory_not_found") + "/restore")
    if as_json:
        print_json(answer)
        return 0
    until = moment(answer["spared_until"])
    print_line(f"{entry_id} is back" + (f"; rules and its time to live leave it alone until {until}" if until else ""))
    return 0
