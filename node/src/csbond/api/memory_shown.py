"""Memories as the routes of `/v1/memory` answer with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice, tee
from typing import Any

import orjson
from fastapi import Request

from csbond.api.problems import Json
from csbond.api.served import caller_of, served
from csbond.flows.read_memory import EntryShown
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.answer_size import ANSWER_BYTES, within
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.formation import join_pieces
from csbond.protocol.memory.visibility import as_told, audience_of
from csbond.protocol.messages.listing import Page, cursor_of


def shown(request: Request, entry: MemoryEntry, *, with_embedding: bool = True) -> dict[str, Any]:
    """One memory as the caller is told it, by the names this home gives its tiers."""
    entry = as_told(audience_of(caller_of(request)), entry)
    return entry_to_json(entry, served(request).names, with_embedding=with_embedding)


def shown_whole(request: Request, found: EntryShown, after: tuple[int, str] | None = None) -> dict[str, Any]:
    """One memory; a piece of a long text with the `text` of as many `pieces` as one answer holds.

    They begin after a place in the text, `invalid_params` for one of another text; `next_cursor` leads to the rest.
    """
    raw, pieces = shown(request, found.entry), found.pieces
    if after:
        told = [(piece.piece, piece.id) for piece in pieces]
        if after not in told:
            raise RemoteProtocolError("invalid_params", "cursor is no place in this text", field="cursor")
        pieces = pieces[told.index(after) + 1 :]
    if len(found.pieces) > 1:
        sizes = (len(orjson.dumps([piece.content, piece.id])) for piece in pieces)
        here = pieces[: within(sizes, ANSWER_BYTES - len(orjson.dumps(raw)))]
        raw["text"] = join_pieces(here)
        raw["pieces"] = [piece.id for piece in here]
        raw["next_cursor"] = cursor_of((here[-1].piece, here[-1].id)) if len(here) < len(pieces) else ""
    return raw


def fitting(rows: Iterable[Mapping[str, Any]], cap: int = ANSWER_BYTES) -> list[orjson.Fragment]:
    """The first of these rows, as JSON, as many as fit below a cap of bytes; none beyond is even made."""
    written, sizes = tee(map(orjson.dumps, rows))
    return list(map(orjson.Fragment, islice(written, within(map(len, sizes), cap))))


def etag(entry: MemoryEntry) -> dict[str, str]:
    """The header that names the version."""
    return {"ETag": f'"{entry.version}"'}


def shown_page(
    request: Request, name: str, page: Page[MemoryEntry], place: Callable[[MemoryEntry], tuple[int, str]]
) -> Json:
    """A page of memories, as many as one answer holds; it goes on after the last one's place in the list."""
    rows = fitting(shown(request, entry, with_embedding=False) for entry in page.rows)
    cursor = page.next_cursor if len(rows) == len(page.rows) else cursor_of(place(page.rows[len(rows) - 1]))
    return Json({name: rows, "total": page.total, "next_cursor": cursor})
