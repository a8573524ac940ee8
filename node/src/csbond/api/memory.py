"""`/v1/memory`: the memories of this agent, for its owner and for principals of the home's Space (MEM-003)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import Path, Query, Request
from starlette.responses import Response

from csbond.api.body_parts import parts_of
from csbond.api.memory_filter import LIST_FILTER
from csbond.api.memory_shown import etag, fitting, shown, shown_page, shown_whole
from csbond.api.operation import Operation
from csbond.api.problems import Json, status_of
from csbond.api.served import (
    body_digest,
    caller_of,
    checked_query_filter,
    expected_versions,
    idempotency_key,
    intent_of,
    is_known,
    json_body,
    json_body_or_none,
    position,
    served,
)
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.index_vectors import wait_until_indexed
from csbond.flows.read_memory import EntryShown, list_memory, note_look, read_memory, read_versions
from csbond.flows.restore_memory import restore_memory
from csbond.flows.show_network import place_of
from csbond.flows.show_outlook import show_outlook
from csbond.flows.write_memory import Kept, MemoryRequest, Outcome, write_memory
from csbond.protocol.errors import CsbError, RemoteProtocolError, as_body
from csbond.protocol.memory.answer_size import ANSWER_BYTES
from csbond.protocol.memory.entry_fields import ID_PATTERN, whole_object
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.entry_shown import with_place
from csbond.protocol.messages.caller import CallerKind
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX

BATCH_MAX = 100
"""Memories of one batch (MEM-003 §3.1)."""

Wait = Annotated[Literal["index"] | None, Query(description="Answer when the vectors are searchable, too.")]
Limit = Annotated[int, Query(ge=1, le=PAGE_SIZE_MAX, description="Rows of a page.")]
Cursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before.")]
TextCursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the part of the text before.")]
Outlook = Annotated[bool, Query(description="Tell, too, what the memory waits for and when it would move.")]
MemoryId = Annotated[str, Path(json_schema_extra={"pattern": f"^{ID_PATTERN}$"})]


async def create(request: Request, wait: Wait = None) -> Response:
    """Write one memory; 201 with the entry, its version as ETag and its place as Location.

    200 and `merged` where the same memory was there already.
    """
    raw = await json_body(request)
    (outcome,) = await write_memory(
        served(request).world,
        (_memory_request(request, raw, idempotency_key(request)),),
        caller_of(request),
        intent_of(request, "write a memory"),
    )
    if isinstance(outcome, CsbError):
        raise outcome
    raw = _kept(request, outcome)
    if wait:
        raw["indexed"] = await wait_until_indexed(served(request).world, outcome.entry.seq)
    if outcome.merged:
        return Json(raw, 200, etag(outcome.entry))
    return Json(raw, 201, {**etag(outcome.entry), "Location": f"/v1/memory/{outcome.entry.id}"})


async def create_batch(request: Request, wait: Wait = None) -> Response:
    """Write up to 100 memories: 201 when all are kept, 207 when some are refused, each with its own result.

    As many are told whole as one answer holds, of the others the ids alone.
    """
    memories = whole_object(await json_body(request)).get("memories")
    if not isinstance(memories, list) or not 1 <= len(memories) <= BATCH_MAX:
        raise RemoteProtocolError(
            "invalid_params", f"memories must be a list of 1 to {BATCH_MAX} entries", field="memories"
        )
    checked = _checked(request, memories, idempotency_key(request))
    written = iter(
        await write_memory(
            served(request).world,
            [each for each in checked if isinstance(each, MemoryRequest)],
            caller_of(request),
            intent_of(request, "write several memories"),
        )
    )
    outcomes = [each if isinstance(each, CsbError) else next(written) for each in checked]
    kept = [outcome for outcome in outcomes if isinstance(outcome, Kept)]
    merged = sum(outcome.merged for outcome in kept)
    results = [_result(outcome) for outcome in outcomes]
    whole = _tell_whole(request, kept, results)
    answer: dict[str, Any] = {
        "results": results,
        "stored": len(kept) - merged,
        "merged": merged,
        "refused": len(outcomes) - len(kept),
        "left_off": len(kept) - whole,
    }
    if wait and kept:
        answer["indexed"] = await wait_until_indexed(served(request).world, max(each.entry.seq for each in kept))
    return Json(answer, 201 if len(kept) == len(outcomes) else 207)


async def show(request: Request, id: MemoryId, cursor: TextCursor = None, outlook: Outlook = False) -> Response:
    """One memory; a piece of a long text comes with the `text` and the ids of its `pieces`, a page at a time.

    304 for a version that is known, but not of a memory with links, nor of a piece, nor with its outlook: what is told
    beside changes alone. Only what is told is a use.
    """
    here, caller = served(request), caller_of(request)
    found = await read_memory(here.world, id, caller, counts=False)
    alone = not (found.entry.linked or found.is_piece or outlook)
    if alone and is_known(request, found.entry.version):
        return Response(status_code=304, headers=etag(found.entry))
    place = await place_of(here.world, found.entry, caller)
    answer = with_place(shown_whole(request, found, position(cursor)), place)
    note_look(here.world, found, caller)
    if outlook:
        answer["outlook"] = await show_outlook(
            here.world, found.entry, here.names, names_rule=caller.kind is CallerKind.OWNER
        )
    return Json(answer, headers=etag(found.entry))


async def list_page(request: Request, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None) -> Response:
    """A page of memories, newest first; `next_cursor` is empty on the last."""
    wanted = checked_query_filter(request)
    page = await list_memory(served(request).world, wanted, caller_of(request), position(cursor), limit)
    return shown_page(request, "memories", page, lambda entry: (entry.timestamp, entry.id))


async def list_versions(
    request: Request, id: MemoryId, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None
) -> Response:
    """What a memory was before, the latest first."""
    page = await read_versions(served(request).world, id, caller_of(request), position(cursor), limit)
    return shown_page(request, "versions", page, lambda entry: (entry.version, entry.id))


async def edit(request: Request, id: MemoryId, wait: Wait = None) -> Response:
    """The memory after an edit of the fields that are given; with If-Match only from that version."""
    raw = await json_body(request)
    here = served(request)
    entry = await edit_memory(
        here.world,
        id,
        raw,
        here.names,
        caller=caller_of(request),
        intent=intent_of(request, "edit a memory"),
        expected=expected_versions(request),
    )
    answer = shown(request, entry)
    if wait:
        answer["indexed"] = await wait_until_indexed(here.world, entry.seq)
    return Json(answer, headers=etag(entry))


async def delete(request: Request, id: MemoryId) -> Response:
    """What is deleted now: the ids of the entry and of all pieces of its text."""
    entries = await delete_memory(
        served(request).world,
        id,
        caller_of(request),
        intent_of(request, "delete a memory"),
        expected_versions(request),
    )
    deleted_at = max(entry.deleted_at for entry in entries)
    return Json({"id": id, "deleted": True, "deleted_at": deleted_at, "entries": [entry.id for entry in entries]})


async def restore(request: Request, id: MemoryId) -> Response:
    """The memory that lives again, the ids of all pieces of its text, and until when it is left alone."""
    parts_of(await json_body_or_none(request), ())
    pieces = await restore_memory(
        served(request).world,
        id,
        caller_of(request),
        intent_of(request, "restore a memory"),
        expected_versions(request),
    )
    entry = next(piece for piece in pieces if piece.id == id)
    answer = {
        "restored": [piece.id for piece in pieces],
        "spared_until": entry.spared_until,
        "memory": shown_whole(request, EntryShown(entry, pieces)),
    }
    return Json(answer, headers=etag(entry))


def _memory_request(request: Request, raw: Any, key: str) -> MemoryRequest:
    here = served(request)
    draft = draft_from_json(raw, here.world.clock.now(), here.names)
    return MemoryRequest(draft, key, body_digest(raw) if key or draft.id else "")


def _checked(request: Request, memories: list[Any], key: str) -> list[MemoryRequest | CsbError]:
    checked: list[MemoryRequest | CsbError] = []  # the blank is in no key, so none of a single write is taken
    for place, raw in enumerate(memories):
        try:
            checked.append(_memory_request(request, raw, f"{key} {place}" if key else ""))
        except CsbError as fault:
            checked.append(fault)
    return checked


def _result(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, CsbError):
        return {"status": status_of(outcome.code), **as_body(outcome)}
    left_out = {"left_out": list(outcome.left_out)} if outcome.left_out else {}
    return {"status": 200 if outcome.merged else 201, "id": outcome.entry.id, **left_out}


def _tell_whole(request: Request, kept: list[Kept], results: list[dict[str, Any]]) -> int:
    """How many of those that are kept are told whole: as many as there is room for beside all results."""
    room = max(0, ANSWER_BYTES - len(orjson.dumps(results)))
    memories = fitting((_kept(request, each, with_embedding=False) for each in kept), room)
    for result, memory in zip((each for each in results if "id" in each), memories, strict=False):
        result["memory"] = memory
    return len(memories)


def _kept(request: Request, kept: Kept, *, with_embedding: bool = True) -> dict[str, Any]:
    raw = shown(request, kept.entry, with_embedding=with_embedding)
    if kept.merged:
        raw["merged"] = True
    if kept.left_out:
        raw["left_out"] = list(kept.left_out)
    return raw


OPERATIONS = (
    Operation("POST", "/v1/memory", create, body="MemoryWrite", answer="Memory", status=201, statuses=(200,)),
    Operation(
        "POST",
        "/v1/memory/batch",
        create_batch,
        body="MemoryBatch",
        answer="MemoryBatchResult",
        status=201,
        statuses=(207,),
    ),
    Operation("GET", "/v1/memory", list_page, answer="MemoryPage", query=LIST_FILTER),
    Operation("GET", "/v1/memory/{id}", show, answer="Memory", statuses=(304,)),
    Operation("PUT", "/v1/memory/{id}", edit, body="MemoryEdit", answer="Memory"),
    Operation("DELETE", "/v1/memory/{id}", delete, answer="MemoryDeleted"),
    Operation("PATCH", "/v1/memory/{id}/restore", restore, answer="MemoryRestored"),
    Operation("GET", "/v1/memory/{id}/versions", list_versions, answer="MemoryVersions"),
)
