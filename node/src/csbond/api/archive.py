"""`/v1/memory/archive`: what is left of memories that were cleared (MEM-004 §4.3)."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from csbond.api.memory import Cursor, Limit, MemoryId
from csbond.api.memory_shown import page_body
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, position, served
from csbond.flows.show_archive import list_archive, show_archived
from csbond.protocol.memory.whitespace import ArchivedMemory, archive_to_json
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT


async def list_page(request: Request, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None) -> Response:
    """A page of the records, the latest cleared first."""
    page = await list_archive(served(request).world, caller_of(request), position(cursor), limit)
    body = page_body(
        "archive", page, lambda record: _shown(request, record), lambda record: (record.cleared_at, record.id)
    )
    return Json(body)


async def show(request: Request, id: MemoryId) -> Response:
    """The record of one memory."""
    return Json(_shown(request, await show_archived(served(request).world, id, caller_of(request))))


def _shown(request: Request, record: ArchivedMemory) -> dict[str, Any]:
    level = served(request).names.name(record.original_level)
    return {**archive_to_json(record), "original_level": level}


OPERATIONS = (
    Operation("GET", "/v1/memory/archive", list_page, answer="MemoryArchive"),
    Operation("GET", "/v1/memory/archive/{id}", show, answer="ArchivedMemory"),
)
