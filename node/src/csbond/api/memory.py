"""`/v1/memory`: the memories of this agent, for its owner (MEM-003)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from csbond.api.operation import Operation
from csbond.api.problems import Json, status_of
from csbond.api.served import (
    body_digest,
    caller_of,
    expected_versions,
    idempotency_key,
    intent_of,
    is_known,
    json_body,
    position,
    served,
)
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.index_vectors import wait_until_indexed
from csbond.flows.read_memory import list_memory, read_memory
from csbond.flows.write_memory import MemoryRequest, Outcome, write_memory
from csbond.protocol.errors import CsbError, RemoteProtocolError, as_body
from csbond.protocol.memory.entry import SOURCES, EntryType, MemoryEntry
from csbond.protocol.memory.entry_fields import checked_name, whole_object
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX

BATCH_MAX = 100
"""Memories of one batch (MEM-003 §3.1)."""

Wait = Annotated[Literal["index"] | None, Query(description="Answer when the vectors are searchable, too.")]
Limit = Annotated[int, Query(ge=1, le=PAGE_SIZE_MAX, description="Rows of a page.")]
Cursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before.")]


async def create(request: Request, wait: Wait = None) -> Response:
    """Write one memory; 201 with the entry, its version as ETag and its place as Location."""
    raw = await json_body(request)
    (outcome,) = await write_memory(
        served(request).world,
        (_memory_request(request, raw, idempotency_key(request)),),
        caller_of(request),
        intent_of(request, "write a memory"),
    )
    if isinstance(outcome, CsbError):
        raise outcome
    shown = _shown(request, outcome)
    if wait:
        shown["indexed"] = await wait_until_indexed(served(request).world, outcome.seq)
    return Json(shown, 201, {**_etag(outcome), "Location": f"/v1/memory/{outcome.id}"})


async def create_batch(request: Request, wait: Wait = None) -> Response:
    """Write up to 100 memories: 201 when all are kept, 207 when some are refused, each with its own result."""
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
    kept = [outcome for outcome in outcomes if isinstance(outcome, MemoryEntry)]
    answer: dict[str, Any] = {
        "results": [_result(request, outcome) for outcome in outcomes],
        "stored": len(kept),
        "refused": len(outcomes) - len(kept),
    }
    if wait and kept:
        answer["indexed"] = await wait_until_indexed(served(request).world, max(entry.seq for entry in kept))
    return Json(answer, 201 if len(kept) == len(outcomes) else 207)


async def show(request: Request, id: str) -> Response:
    """One memory; a piece of a long text comes with the whole `text` and the ids of its `pieces`."""
    shown = await read_memory(served(request).world, id, caller_of(request))
    if is_known(request, shown.entry.version):
        return Response(status_code=304, headers=_etag(shown.entry))
    raw = _shown(request, shown.entry)
    if len(shown.pieces) > 1:
        raw["text"] = shown.text
        raw["pieces"] = [piece.id for piece in shown.pieces]
    return Json(raw, headers=_etag(shown.entry))


async def list_page(
    request: Request,
    *,
    level: Annotated[str | None, Query(description="A tier.")] = None,
    type: Annotated[EntryType | None, Query(description="A type of entry.")] = None,
    tag: Annotated[str | None, Query(description="A tag.")] = None,
    source: Annotated[str | None, Query(description="A source.")] = None,
    limit: Limit = PAGE_SIZE_DEFAULT,
    cursor: Cursor = None,
) -> Response:
    """A page of memories, newest first; `next_cursor` is empty on the last."""
    wanted = entry_filter(request, level, type, tag, source)
    page = await list_memory(served(request).world, wanted, caller_of(request), position(cursor), limit)
    return Json(
        {
            "memories": [_shown(request, entry, with_embedding=False) for entry in page.rows],
            "total": page.total,
            "next_cursor": page.next_cursor,
        }
    )


async def edit(request: Request, id: str, wait: Wait = None) -> Response:
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
    shown = _shown(request, entry)
    if wait:
        shown["indexed"] = await wait_until_indexed(here.world, entry.seq)
    return Json(shown, headers=_etag(entry))


async def delete(request: Request, id: str) -> Response:
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


def entry_filter(request: Request, level: Any, type_: EntryType | None, tag: Any, source: Any) -> EntryFilter:
    """The filter of a list or a search; `invalid_params` for a part that can match nothing."""
    if source is not None and source not in SOURCES:
        raise RemoteProtocolError("invalid_params", f"source must be one of {', '.join(SOURCES)}", field="source")
    return EntryFilter(
        level=None if level is None else served(request).names.level(level),
        type=type_,
        tag="" if tag is None else checked_name("tag", tag, 256),
        source=source or "",
    )


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


def _result(request: Request, outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, CsbError):
        return {"status": status_of(outcome.code), **as_body(outcome)}
    return {"status": 201, "memory": _shown(request, outcome, with_embedding=False)}


def _shown(request: Request, entry: MemoryEntry, *, with_embedding: bool = True) -> dict[str, Any]:
    return entry_to_json(entry, served(request).names, with_embedding=with_embedding)


def _etag(entry: MemoryEntry) -> dict[str, str]:
    return {"ETag": f'"{entry.version}"'}


OPERATIONS = (
    Operation("POST", "/v1/memory", create, body="MemoryWrite", answer="Memory", status=201),
    Operation("POST", "/v1/memory/batch", create_batch, body="MemoryBatch", answer="MemoryBatchResult", status=201),
    Operation("GET", "/v1/memory", list_page, answer="MemoryPage"),
    Operation("GET", "/v1/memory/{id}", show, answer="Memory"),
    Operation("PUT", "/v1/memory/{id}", edit, body="MemoryEdit", answer="Memory"),
    Operation("DELETE", "/v1/memory/{id}", delete, answer="MemoryDeleted"),
)
