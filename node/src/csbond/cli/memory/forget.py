"""`csb memory forget`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from csbond.cli.entries import LevelOption, ProjectOption, TypeOption, how_many, print_entries
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
from csbond.cli.memory.removed import print_erased
from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_line, print_next
from csbond.cli.progress import progress
from csbond.protocol.errors import LocalProtocolError


def forget(
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
    deleted: Annotated[
        bool, typer.Option("--deleted", help="With --hard: the deleted ones instead of the living.")
    ] = False,
    hard: Annotated[bool, typer.Option("--hard", help="Erase them for good instead of deleting them softly.")] = False,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="WHY", help="With --hard: kept in the archive.")
    ] = None,
    apply: Annotated[
        int | None,
        typer.Option("--apply", min=0, metavar="N", help="Do it, if still as many fit as the dry run counted."),
    ] = None,
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Forget what fits every option; without --apply it is a dry run, which lists and counts (MEM-005 §5.3).

    Repeating: what was forgotten does not fit any more, so the count is another one and nothing is done.
    """
    wanted: dict[str, Any] = dict(filter_of(kind, level, tag, source, project, thread, link_target, since, until, text))
    _check(wanted, deleted=deleted, hard=hard, reason=reason)
    body: dict[str, Any] = {"filter": wanted | ({"deleted": True} if deleted else {}), "mode": _mode(hard)}
    body |= {} if reason is None else {"reason": reason}
    if apply is None:
        body |= {"limit": limit} | ({"cursor": after} if after else {})
    else:
        body |= {"dry_run": False, "expected": apply}
    with node_of(chosen_home(home), LONG_S) as node, progress(None, "Forgetting", shown=not as_json):
        answer = node.post("/v1/memory/forget", body)
    if as_json:
        print_json(answer)
    elif answer["dry_run"]:
        _print_would(answer, hard=hard)
    else:
        _print_did(answer, hard=hard)
    return 0


def _check(wanted: Mapping[str, Any], *, deleted: bool, hard: bool, reason: str | None) -> None:
    if not wanted:
        raise LocalProtocolError(
            "invalid_params",
            "nothing narrows what is forgotten, and everything is never meant",
            next_step="name it, for example by --tag, --project or --until: csb memory forget --help",
            field="filter",
        )
    if deleted and not hard:
        raise LocalProtocolError(
            "invalid_params", "the deleted ones are deleted already; --hard erases them", field="deleted"
        )
    if reason is not None and not hard:
        raise LocalProtocolError("invalid_params", "a reason is kept only of what --hard erases", field="reason")


def _mode(hard: bool) -> str:
    return "hard" if hard else "soft"


def _print_would(answer: Mapping[str, Any], *, hard: bool) -> None:
    print_entries(answer["memories"], "Nothing fits.")
    print_next(answer)
    if count := answer["count"]:
        end = "erased for good" if hard else "deleted"
        print_line(f"{how_many(count)} would be {end}. To do it: add --apply {count}")


def _print_did(answer: Mapping[str, Any], *, hard: bool) -> None:
    print_line(f"{how_many(answer['count'])} forgotten")
    if answer["left"]:
        print_line(f"{how_many(answer['left'])} changed meanwhile and left as they are")
    if hard:
        print_erased(answer)
