"""Memories leave: each as a document of the exchange format, or in the published form (CSB v1.0 §1.2.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from csbond.flows.memory_record import memory_record
from csbond.flows.read_memory import entry_query
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import commit_memory
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.formation import join_pieces
from csbond.protocol.memory.interop import LEFT_OUT, embedding_document, interop_document
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.published import published_form
from csbond.protocol.memory.rights import may_exchange
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import position_of

PAGE = 100
"""Memories that are read together."""
ExportFormat = Literal["interop", "published"]


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What leaves, and in which form."""

    wanted: EntryFilter = field(default_factory=EntryFilter)
    format: ExportFormat = "interop"
    embeddings: bool = False
    """With the vectors of this node's model, and those that clients supplied."""


@dataclass(slots=True)
class ExportSum:
    """How many documents there were, and what they do not say."""

    memories: int = 0
    left_out: list[str] = field(default_factory=list)
    """Of every memory."""
    lost: Counter[str] = field(default_factory=Counter)
    """Fields for which the published form has no place, and of how many memories."""


async def export_memory(
    world: World, request: ExportRequest, caller: Caller, intent: Intent
) -> AsyncIterator[dict[str, Any] | ExportSum]:
    """The documents of all living memories that a filter admits, the newest first; the sum comes last.

    A text in pieces is one document of the exchange format when one of its pieces is admitted.

    1. the caller is the owner (`forbidden`); 2. deleted memories are not asked for (`invalid_params`).
    """
    may_exchange(caller)
    if request.wanted.deleted:
        raise RemoteProtocolError("invalid_params", "deleted memories do not leave", field="filter.deleted")
    total, told = ExportSum(left_out=_left_out(request)), set[str]()
    query = entry_query(request.wanted, Audience(everything=True), limit=PAGE)
    page = await world.ledger.entries(query)
    await _record(world, request, page.total, intent)
    while True:
        documents = _published(page.rows, total) if request.format == "published" else None
        for document in documents if documents is not None else await _interop(world, page.rows, request, told):
            total.memories += 1
            yield document
        if not page.next_cursor:
            break
        query = entry_query(request.wanted, Audience(everything=True), position_of(page.next_cursor), PAGE)
        page = await world.ledger.entries(query)
    yield total


def _left_out(request: ExportRequest) -> list[str]:
    if request.format == "published":
        return []
    return list(LEFT_OUT) if request.embeddings else [*LEFT_OUT, "vectors"]


async def _interop(
    world: World, rows: Sequence[MemoryEntry], request: ExportRequest, told: set[str]
) -> list[dict[str, Any]]:
    """The documents of a page, but for texts of which another piece was told before."""
    texts: list[tuple[MemoryEntry, str]] = []
    for row in rows:
        pieces = [piece for piece in await world.ledger.entry_pieces(row.id) if not piece.deleted_at]
        if not pieces or pieces[0].id in told:
            continue
        if len(pieces) > 1:
            told.add(pieces[0].id)
        texts.append((pieces[0], join_pieces(pieces)))
    vectors = await _vectors(world, texts) if request.embeddings else {}
    return [
        interop_document(first, text, world.agent.name, vectors.get(first.id), supplied=request.embeddings)
        for first, text in texts
    ]


async def _vectors(world: World, texts: Sequence[tuple[MemoryEntry, str]]) -> dict[str, dict[str, Any]]:
    """The vectors of texts that are in one piece: one piece's vector is not that of the text."""
    if world.embedder is None:
        return {}
    model = world.embedder.model_id
    ids = [first.id for first, text in texts if text == first.content]
    found = await world.ledger.snapshot_vectors(HOME_SPACE, model, ids)
    return {id_: embedding_document(vector, model) for id_, vector in found.items()}


def _published(rows: Sequence[MemoryEntry], total: ExportSum) -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = []
    for row in rows:
        document, lost = published_form(entry_to_json(row, LevelNames()))
        total.lost.update(lost)
        documents.append(document)
    return documents


async def _record(world: World, request: ExportRequest, count: int, intent: Intent) -> None:
    """Before the first of them leaves; how the filter reads is not told, for it may hold what memories say."""
    details = {"format": request.format, "memories": count, "embeddings": request.embeddings}
    record = memory_record(world, "export", HOME_SPACE, intent, world.clock.now(), details)
    await commit_memory(world, (), record)
