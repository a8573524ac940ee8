"""`csb memory snapshot delete`."""

from __future__ import annotations

from csbond.cli.memory.snapshot.files import PLACE, SnapshotArgument
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line


def delete(snapshot_id: SnapshotArgument, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Delete a snapshot; the memories in it stay as they are.

    Repeating: a snapshot that is gone is not found.
    """
    with node_of(chosen_home(home)) as node:
        answer = node.delete(path_of(PLACE, snapshot_id, absent="snapshot_not_found"))
    print_json(answer) if as_json else print_line(f"{snapshot_id} is deleted; its memories stay")
    return 0
