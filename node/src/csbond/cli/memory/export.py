"""`csb memory export`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from csbond.cli.entries import LevelOption, ProjectOption, TypeOption, how_many
from csbond.cli.memory.filter_options import (
    LinkTargetOption,
    SinceOption,
    SourceOption,
    TagOption,
    ThreadOption,
    UntilOption,
    WordsOption,
    filter_of,
)
from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.outgoing import STDIN
from csbond.cli.output import print_json, print_line
from csbond.cli.progress import progress
from csbond.cli.written_file import written
from csbond.protocol.errors import LocalProtocolError, RemoteProtocolError


class Form(StrEnum):
    """In which form memories leave."""

    INTEROP = "interop"
    PUBLISHED = "published"


def export(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write them; - is standard output.")
    ],
    form: Annotated[
        Form, typer.Option("--format", help="The exchange format, or the published schema of memories.")
    ] = Form.INTEROP,
    embeddings: Annotated[bool, typer.Option("--embeddings", help="With the vectors of this node's model.")] = False,
    kind: TypeOption = None,
    level: LevelOption = None,
    tag: TagOption = None,
    source: SourceOption = None,
    project: ProjectOption = None,
    thread: ThreadOption = None,
    link_target: LinkTargetOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    text: WordsOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write memories to a file, one document a line; every option narrows them."""
    if as_json and str(output) == STDIN:
        raise LocalProtocolError("invalid_params", "standard output takes the documents or the JSON", field="output")
    wanted = filter_of(kind, level, tag, source, project, thread, link_target, since, until, text)
    body = {"format": form.value, "embeddings": embeddings} | ({"filter": wanted} if wanted else {})
    with (
        node_of(chosen_home(home), answer_s=LONG_S) as node,
        progress(None, "Exporting", shown=not as_json) as advance,
        _opened(output) as file,
    ):
        total: dict[str, Any] | None = None
        for line in node.lines("/v1/memory/export", json.dumps(body).encode(), "application/json"):
            if "export" in line:
                total = line["export"]
            else:
                file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
                advance(1)
        if total is None:
            raise RemoteProtocolError(
                "peer_broke_protocol", "the node ended before it said how many memories there are"
            )
    if str(output) != STDIN:
        _tell(output, total, as_json=as_json)
    return 0


@contextmanager
def _opened(output: Path) -> Iterator[BinaryIO]:
    if str(output) == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with written(output) as file:
        yield file


def _tell(output: Path, total: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(output), **total})
        return
    print_line(f"{how_many(total['memories'])} written to {output}")
    if total["left_out"]:
        print_line(f"Left out: {', '.join(total['left_out'])}")
    if total["lost"]:
        told = (f"{name} ({count})" for name, count in sorted(total["lost"].items()))
        print_line(f"What the published form does not say, and of how many: {', '.join(told)}")
