"""`/v1/memory/{id}/hard` and `/v1/memory/forget`: the owner erases memories, and forgets many at a time (MEM-005)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from csbond.api.body_parts import choice_in, count_in, filter_in, limit_in, parts_of, place_in, truth_in
from csbond.api.memory import MemoryId
from csbond.api.memory_shown import fitting, page_body, shown
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, expected_versions, intent_of, json_body, no_versions, served
from csbond.flows.copies_elsewhere import Copy
from csbond.flows.erase_memory import NO_REASON, erase_memory
from csbond.flows.forget_memory import ForgetRequest, Forgotten, Mode, forget_memory
from csbond.protocol.memory.whitespace import REASON_MAX

FORGET_PARTS = ("filter", "mode", "dry_run", "expected", "reason", "limit", "cursor")
"""What the body of a call to forget may hold."""
_MODES: dict[str, Mode] = {"soft": "soft", "hard": "hard"}

Reason = Annotated[str | None, Query(max_length=REASON_MAX, description="Why, for the record that is kept.")]


async def erase(request: Request, id: MemoryId, reason: Reason = None) -> Response:
    """What is erased: the entry, or all pieces of its text; and which messages still hold what it said.

    `erased` is false while bytes may be left in the files, because somebody reads an earlier state of them, they are
    large, or the disk has no room to write them anew: the node tries again by itself.
    """
    done = await erase_memory(
        served(request).world,
        id,
        caller_of(request),
        intent_of(request, "erase a memory"),
        NO_REASON if reason is None else reason,
        expected_versions(request),
    )
    body = {"id": id, "erased": done.erased, "entries": list(done.ids), "archived": done.archived}
    return Json({**body, "copies": _copies(done.copies)})


async def forget(request: Request) -> Response:
    """Of a dry run, as a call is unless it says otherwise, what fits the filter; else what was forgotten."""
    no_versions(request)
    body = parts_of(await json_body(request), FORGET_PARTS)
    forgotten = await forget_memory(
        served(request).world,
        ForgetRequest(
            wanted=filter_in(body, "filter", served(request)),
            mode=_MODES[choice_in(body, "mode", _MODES, "soft")],
            dry_run=truth_in(body, "dry_run", preset=True),
            expected=count_in(body, "expected", None),
            reason=body.get("reason", NO_REASON),
        ),
        caller_of(request),
        intent_of(request, "forget memories"),
        place_in(body),
        limit_in(body),
    )
    return Json(_would(request, forgotten) if forgotten.dry_run else _did(forgotten))


def _would(request: Request, forgotten: Forgotten) -> dict[str, Any]:
    page = page_body(
        "memories",
        forgotten.page,
        lambda entry: shown(request, entry, with_embedding=False),
        lambda entry: (entry.timestamp, entry.id),
    )
    return {"dry_run": True, "count": page.pop("total"), **page}


def _did(forgotten: Forgotten) -> dict[str, Any]:
    return {
        "dry_run": False,
        "count": forgotten.count,
        "entries": fitting(forgotten.ids),
        "left": forgotten.left,
        "erased": forgotten.erased,
        "copies": _copies(forgotten.copies),
    }


def _copies(copies: Iterable[Copy]) -> list[dict[str, str]]:
    return [
        {
            "thread_id": each.thread_id,
            "message_id": each.message_id,
            **({"task_id": each.task_id} if each.task_id else {}),
        }
        for each in copies
    ]


OPERATIONS = (
    Operation("DELETE", "/v1/memory/{id}/hard", erase, answer="MemoryErased"),
    Operation("POST", "/v1/memory/forget", forget, body="MemoryForget", answer="MemoryForgotten"),
)
