"""`csb memory snapshot get`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.memory.snapshot.files import PLACE, SnapshotArgument
from csbond.cli.node_client import LONG_S, node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.outgoing import STDIN
from csbond.cli.output import flush, print_json, print_line
from csbond.cli.progress import progress
from csbond.cli.written_file import write_text
from csbond.protocol.memory.snapshot import SUFFIX


def get(
    snapshot_id: SnapshotArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help=f"Where to write it; - is standard output. Else: ID{SUFFIX}"
        ),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write a snapshot into a file, without what was deleted since it was made.

    One memory a line, in the order of ids: two such files in a Git folder differ in what changed, and in the head.

    Repeating: the file is written anew.
    """
    file = output or Path(f"{snapshot_id}{SUFFIX}")
    with node_of(chosen_home(home), LONG_S) as node, progress(None, "Reading", shown=not as_json):
        raw = node.file(path_of(PLACE, snapshot_id, absent="snapshot_not_found"))
    if str(file) == STDIN:
        flush()
        sys.stdout.buffer.write(raw)
        flush()
        return 0
    write_text(file, raw.decode())
    if as_json:
        print_json({"id": snapshot_id, "file": str(file), "bytes": len(raw)})
    else:
        print_line(f"{file} holds the snapshot {snapshot_id}")
    return 0
