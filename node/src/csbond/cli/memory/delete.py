"""`csb memory delete`."""

from __future__ import annotations

from csbond.cli.entries import EntryArgument
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line


def delete(entry_id: EntryArgument, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Forget an entry softly, with every piece of its text: no search finds it any more (MEM-005 §5.2).

    Repeating: what is deleted stays deleted, and the answer is the same.
    """
    with node_of(chosen_home(home)) as node:
        answer = node.delete(path_of("/v1/memory", entry_id, absent="memory_not_found"))
    if as_json:
        print_json(answer if answer is not None else {"id": entry_id, "deleted": True})
    else:
        print_line(f"{entry_id} is deleted")
    return 0
