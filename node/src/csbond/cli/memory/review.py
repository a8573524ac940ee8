"""`csb memory review`: what is not done before a person has said yes (MEM-004 §4.4, MEM-005 §5.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from csbond.cli.node_client import LONG_S, node_of, path_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_json, print_line, print_next, print_table
from csbond.protocol.errors import EXIT_STATUS, Exit, LocalProtocolError

_PLACE = "/v1/memory/reviews"
_VERDICTS = {"approve": "approved", "decline": "declined"}


def review(
    what: Annotated[
        Literal["list", "approve", "decline"], typer.Argument(metavar="list|approve|decline", help="What to do.")
    ] = "list",
    review_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The question to answer, by the id the list shows.")
    ] = None,
    state: Annotated[
        Literal["open", "decided", "all"], typer.Option("--state", help="List those that wait, are answered, or all.")
    ] = "open",
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """List what waits for a person, or answer it: approve has it done, decline leaves the memory where it is.

    Repeating: the same answer again changes nothing; another one is refused.
    """
    if what == "list":
        if review_id is not None:
            raise LocalProtocolError("invalid_params", "a list takes no ID", next_step="csb memory review approve ID")
        with node_of(chosen_home(home)) as node:
            page = node.get(_PLACE, state=state, limit=limit, cursor=after)
        print_json(page) if as_json else _print_page(page)
        return 0
    if review_id is None:
        raise LocalProtocolError(
            "invalid_params", f"name what to {what} by its ID", next_step="to see them: csb memory review", field="id"
        )
    with node_of(chosen_home(home), LONG_S) as node:
        answered = node.post(path_of(_PLACE, review_id, absent="review_not_found"), {"verdict": _VERDICTS[what]})
    print_json(answered) if as_json else print_line(_told(answered))
    return EXIT_STATUS[Exit.NEGATIVE] if what == "approve" and answered["verdict"] == "stale" else 0


def _print_page(page: Mapping[str, Any]) -> None:
    answered = any(each["verdict"] or each["stale"] for each in page["reviews"])
    columns = ["review", "from", "to", "by", *(["answer"] if answered else []), "memory"]
    print_table(columns, [_row(each, answered=answered) for each in page["reviews"]], "Nothing waits.")
    print_next(page)


def _row(asked: Mapping[str, Any], *, answered: bool) -> list[str]:
    proposed, memory = asked["proposed"], asked.get("memory")
    answer = asked["verdict"] or ("stale" if asked["stale"] else "")
    return [
        str(asked["id"]),
        "" if memory is None else "deleted" if memory["metadata"].get("deleted") else str(memory["level"]),
        str(proposed["to"]),
        str(proposed.get("rule_name") or proposed["trigger"]),
        *([answer] if answered else []),
        f"{asked['memory_id']} {memory['content'] if memory else ''}",
    ]


def _told(answered: Mapping[str, Any]) -> str:
    name, verdict = answered["memory_id"], answered["verdict"]
    if verdict == "stale":
        return f"{name} has changed since this was asked: nothing is done"
    return f"{name} is {answered['proposed']['to']}" if verdict == "approved" else f"{name} stays as it is"
