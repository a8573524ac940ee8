"""`csb memory import`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from csbond.cli.memory.import_source import source_of
from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line, print_table
from csbond.cli.progress import progress
from csbond.protocol.errors import CsbError, RemoteProtocolError, as_body
from csbond.protocol.memory.entry import CONTENT_MAX
from csbond.protocol.memory.pieces import TEXT_MAX


class Format(StrEnum):
    """What a source is."""

    AUTO = "auto"
    INTEROP = "interop"
    MCP = "mcp"
    MARKDOWN = "markdown"
    CUSTODIAN = "custodian"
    JSON = "json"
    PUBLISHED = "published"


_WORDS = {
    "stored": "remembered",
    "pieces": "in pieces",
    "updated": "updated",
    "linked": "linked",
    "unchanged": "known before",
    "refused": "refused",
}
"""What became of records, in the words of people."""


def import_memories(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A file, a folder of Markdown, or - for standard input.")
    ],
    form: Annotated[
        Format, typer.Option("--format", help="What it is; auto looks at it.", show_default=False)
    ] = Format.AUTO,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Whose memories they are: records of two names never meet."),
    ] = None,
    content_max: Annotated[
        int | None,
        typer.Option(
            "--content-max", min=CONTENT_MAX, max=TEXT_MAX, metavar="N", help="The longest text that is taken."
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FIELD=MEMBER", help="Of json: which member is content, timestamp, id or tags."),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Take in memories of another home or system; the status is 1 when a record is refused.

    A text that is longer than a memory is kept in pieces. What is here already is updated where it comes otherwise.

    Repeating: what comes as it came last time is known before, and nothing is added.
    """
    found = source_of(source, form.value)
    wishes = {"format": found.format, "agent": agent or found.agent, "map": ",".join(fields or ())}
    query = {name: value for name, value in wishes.items() if value}
    query |= {} if content_max is None else {"content_max": str(content_max)}
    left_out = [{"place": place, "outcome": "refused", **as_body(fault)} for place, fault in found.left_out]
    results: list[Mapping[str, Any]] = []
    total: Mapping[str, Any] | None = None
    try:
        with (
            node_of(chosen_home(home), answer_s=LONG_S) as node,
            progress(found.records, "Importing", shown=not as_json) as advance,
        ):
            for line in node.lines("/v1/memory/import", found.content, found.media_type, **query):
                if "import" in line:
                    total = line["import"]
                else:
                    results.append(line)
                    advance(1)
    except CsbError:
        if results:
            _tell(results, None, as_json=as_json)
        raise
    results = [*left_out, *results]
    if total is None:
        _tell(results, None, as_json=as_json)
        raise RemoteProtocolError("peer_broke_protocol", "the node ended before it said how many records there were")
    _tell(results, total, as_json=as_json)
    return 1 if any("error" in each for each in results) else 0


def _tell(results: list[Mapping[str, Any]], total: Mapping[str, Any] | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"results": results, **(total or {"ended_early": True})})
        return
    faults = [each for each in results if "error" in each]
    rows = [[str(each["place"]), str(each["error"].get("field", "")), str(each["error"]["reason"])] for each in faults]
    if rows:
        print_table(["place", "field", "reason"], rows)
    if total is None:
        print_line(f"It ended early, after {len(results)} records; the same again goes on from there.")
        return
    told = [f"{total['outcomes'][name]} {word}" for name, word in _WORDS.items() if total["outcomes"].get(name)]
    print_line(", ".join(told) if told else "There was nothing to import.")
    if again := sum("same_key" in each for each in results):
        print_line(f"Records that took the place of an earlier one of the same name: {again}")
    if total["links"]["set"]:
        print_line(f"Links that were set: {total['links']['set']}")
