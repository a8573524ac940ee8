"""Memories as the routes of `/v1/memory` answer with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from fastapi import Request

from csbond.api.problems import Json
from csbond.api.served import served
from csbond.flows.read_memory import EntryShown
from csbond.protocol.memory.answer_size import within
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.messages.listing import Page, cursor_of


def shown(request: Request, entry: MemoryEntry, *, with_embedding: bool = True) -> dict[str, Any]:
    """One memory, by the names this home gives its tiers."""
    return entry_to_json(entry, served(request).names, with_embedding=with_embedding)


def shown_whole(request: Request, found: EntryShown) -> dict[str, Any]:
    """One memory; a piece of a long text with the whole `text` and the ids of its `pieces`."""
    raw = shown(request, found.entry)
    if len(found.pieces) > 1:
        raw["text"] = found.text
        raw["pieces"] = [piece.id for piece in found.pieces]
    return raw


def etag(entry: MemoryEntry) -> dict[str, str]:
    """The header that names the version."""
    return {"ETag": f'"{entry.version}"'}


def shown_page(
    request: Request, name: str, page: Page[MemoryEntry], place: Callable[[MemoryEntry], tuple[int, str]]
) -> Json:
    """A page of memories, as many as one answer holds; it goes on after the last one's place in the list."""
    rows = [orjson.dumps(shown(request, entry, with_embedding=False)) for entry in page.rows]
    count = within(map(len, rows))
    cursor = page.next_cursor if count == len(rows) else cursor_of(place(page.rows[count - 1]))
    return Json({name: list(map(orjson.Fragment, rows[:count])), "total": page.total, "next_cursor": cursor})
