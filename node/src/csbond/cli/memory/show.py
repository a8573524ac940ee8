"""`csb memory show`."""

from __future__ import annotations

from csbond.cli.entries import EntryArgument, print_entry
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json


def show(entry_id: EntryArgument, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Show all of one entry; the pieces of a long text are joined again."""
    with node_of(chosen_home(home)) as node:
        entry = node.get(path_of("/v1/memory", entry_id, absent="memory_not_found"))
    print_json(entry) if as_json else print_entry(entry)
    return 0
