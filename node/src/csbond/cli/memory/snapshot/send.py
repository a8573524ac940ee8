"""`csb memory snapshot send`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.destination import destination_of
from csbond.cli.memory.snapshot.files import PLACE, SnapshotArgument
from csbond.cli.node_client import LONG_S, node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.send import answer_to, shown
from csbond.config.system import SystemIdentifiers
from csbond.protocol.memory.entry import checked_text
from csbond.protocol.memory.snapshot import MEDIA_TYPE, SUFFIX
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part


def send(
    snapshot_id: SnapshotArgument,
    url: Annotated[str, typer.Argument(metavar="URL", help="The agent's address, e.g. http://127.0.0.1:3100.")],
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="What to say with it.")] = "A memory snapshot",
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="F", help="The token to show; only its owner may read it.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Send a snapshot to another agent, as a file of a message (MEM-006 §6.2).

    Nothing is loaded there by itself: its owner does that by csb memory snapshot load --task.

    Repeating: a new message each time.
    """
    to = destination_of(url, token_file, home)
    with node_of(chosen_home(home), LONG_S) as node:
        raw = node.file(path_of(PLACE, snapshot_id, absent="snapshot_not_found"))
    file = Part(PartKind.FILE, raw, MEDIA_TYPE, f"{snapshot_id}{SUFFIX}")
    message = Message(SystemIdentifiers().unique(), "user", (text_part(checked_text("text", text)), file))
    answer = asyncio.run(answer_to(to, message, stream=False, quiet=as_json))
    return shown(answer, to.url, as_json)
