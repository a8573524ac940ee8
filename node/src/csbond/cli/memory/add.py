"""`csb memory add`."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from csbond.cli.entries import LevelOption, ProjectOption, TagsOption, TypeOption, VisibilityOption, print_entry
from csbond.cli.memory.add_file import add_file
from csbond.cli.memory.typed_link import typed_link
from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.outgoing import read_text
from csbond.cli.output import print_json, print_line
from csbond.protocol.errors import LocalProtocolError

_DAY_MS = 24 * 60 * 60 * 1000
_STRICT = {"strict": True, "strict_schema": True}


def add(
    content: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to remember; - reads it from standard input.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="F", help="Memories as JSON, one a line; - is standard input.")
    ] = None,
    kind: TypeOption = None,
    level: LevelOption = None,
    tags: TagsOption = None,
    visibility: VisibilityOption = None,
    project: ProjectOption = None,
    ttl: Annotated[
        float | None, typer.Option("--ttl", min=0, metavar="DAYS", help="How long to keep it; 0 is for ever.")
    ] = None,
    links: Annotated[
        list[str] | None,
        typer.Option("--link", metavar="ID[:RELATION[:WEIGHT]]", help="A memory it links to; may be given again."),
    ] = None,
    entry_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="An id of your own: the same again is written once.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what lacks a field or has another type instead of mending it.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="End only when a search by meaning finds it.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Remember a text of up to 2,048 characters, or every line of a file.

    With --file, the options say what lines have that do not say it themselves; of each line it is said how it went,
    and the status is 1 when one is refused.

    Repeating: the same text in the same place stays one memory, which takes over new tags and links.
    """
    if (content is None) == (file is None):
        raise LocalProtocolError("invalid_params", "give a TEXT or a --file, one of them", field="text")
    if file is not None and entry_id is not None:
        raise LocalProtocolError(
            "invalid_params", "an --id is of one memory; the lines of a file have their own", field="id"
        )
    given: dict[str, Any] = {"type": kind, "level": level, "tags": tags, "visibility": visibility, "id": entry_id}
    body = {"source": "user"} | {name: each for name, each in given.items() if each}
    body |= _metadata(project, ttl) | ({"links": [typed_link(link) for link in links]} if links else {})
    if strict:
        body["fault_tolerance"] = _STRICT
    waiting = {"wait": "index"} if wait else {}
    if file is not None:
        return add_file(file, body, home=chosen_home(home), as_json=as_json, **waiting)
    if strict:
        body["timestamp"] = time.time_ns() // 1_000_000  # a strict entry is filled in by nobody but who writes it
    body = {"content": read_text(content or ""), **body}
    with node_of(chosen_home(home)) as node:
        entry = node.post("/v1/memory", body, **waiting)
    _show(entry, as_json=as_json)
    return 0


def _metadata(project: str | None, ttl: float | None) -> dict[str, Any]:
    if ttl is not None and not math.isfinite(ttl):
        raise LocalProtocolError("invalid_params", "the time to live must be a number of days", field="ttl")
    metadata = {"project": project} if project else {}
    kept: dict[str, Any] = metadata | ({} if ttl is None else {"ttl": round(ttl * _DAY_MS)})
    return {"metadata": kept} if kept else {}


def _show(entry: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(entry)
        return
    print_entry(entry)
    if entry.get("merged"):
        print_line("It was remembered before.")
    if entry.get("left_out"):
        print_line(f"It has no room for more {', '.join(entry['left_out'])}.")
