"""The options that narrow memories, for every command that takes a filter (MEM-003 §3.1)."""

from __future__ import annotations

from typing import Annotated

import typer

from csbond.cli.moments import TIME_FORMS, milliseconds_of
from csbond.protocol.memory.entry import SOURCES

TagOption = Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Only entries with this tag.")]
SourceOption = Annotated[str | None, typer.Option("--source", help=f"Where it comes from: {', '.join(SOURCES)}.")]
ThreadOption = Annotated[str | None, typer.Option("--thread", metavar="T", help="The thread it comes from.")]
LinkTargetOption = Annotated[
    str | None, typer.Option("--link-target", metavar="TARGET", help="Only entries that link to this.")
]
SinceOption = Annotated[str | None, typer.Option("--since", metavar="TIME", help=f"Of then or later: {TIME_FORMS}.")]
UntilOption = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Of then or earlier.")]
WordsOption = Annotated[
    str | None, typer.Option("--text", metavar="WORDS", help="Only entries that hold all of these words.")
]


def filter_of(
    kind: str | None,
    level: str | None,
    tag: str | None,
    source: str | None,
    project: str | None,
    thread: str | None,
    link_target: str | None,
    since: str | None,
    until: str | None,
    text: str | None,
) -> dict[str, str | int]:
    """The parts that are given, as a node takes them; `invalid_params` for what is no time."""
    given: dict[str, str | int | None] = {
        "type": kind,
        "level": level,
        "tag": tag,
        "source": source,
        "project": project,
        "thread": thread,
        "link_target": link_target,
        "since": None if since is None else milliseconds_of("since", since),
        "until": None if until is None else milliseconds_of("until", until),
        "text": text,
    }
    return {name: each for name, each in given.items() if each is not None}
