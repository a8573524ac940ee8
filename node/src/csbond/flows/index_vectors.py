"""Vectors follow the ledger: one worker embeds what was written and moves the indexed-through number.

Rows are the truth and the index is rebuilt from them at start. Vectors belong to one model: another model begins at
the start of the ledger, and the two are never mixed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from csbond.flows.ports import Embedder, StoredVector, VectorIndex
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.visibility import Audience

BATCH = 64
"""Entries embedded at once: enough to fill the model, few enough that a waiting write hears soon."""
RETRY_FIRST_S = 1.0
"""Seconds before an embedder that failed is asked again; doubled each time."""
RETRY_MAX_S = 60.0
"""The longest wait between two tries."""
WAIT_S = 10.0
"""Seconds a write with `?wait=index` waits at most: far more than a batch takes."""


async def index_vectors(world: World) -> None:
    """Follow the ledger for the life of the node; returns at once when there is no embedder."""
    if world.embedder is None or world.index is None:
        return
    rebuilt, delay = False, RETRY_FIRST_S
    while True:
        try:
            if not rebuilt:
                await rebuild_index(world)
            rebuilt = True
            await catch_up(world)
        except Exception as fault:
            world.journal.failed("index_vectors", fault)
            world.signals.indexing.failed(fault.reason if isinstance(fault, CsbError) else "a fault of this node")
            await asyncio.sleep(delay)
            delay = min(2 * delay, RETRY_MAX_S)
        else:
            delay = RETRY_FIRST_S
            await world.signals.indexing.until_written()


async def rebuild_index(world: World) -> None:
    """Fill the index from the vector rows of this model, and find out how much is missing."""
    if world.embedder is None or world.index is None:
        return
    model = world.embedder.model_id
    rows = await world.ledger.vectors(HOME_SPACE, model)
    for row in rows:
        world.index.put(row.space, row.entry_id, row.vector)
    counts = await world.ledger.counts()
    through = await world.ledger.indexed_through(HOME_SPACE, model)
    world.signals.indexing.started(through, max(0, counts["entries"] - len(rows)))


async def catch_up(world: World) -> None:
    """Give every entry written so far its vector; `embedder_unavailable` when the model does not answer."""
    if world.embedder is None or world.index is None:
        return
    while True:
        head = await world.ledger.space_seq(HOME_SPACE)
        entries = await _next_entries(world)
        if not entries:
            world.signals.indexing.caught_up(head)
            return
        await _index(world, world.embedder, world.index, entries)
        world.signals.indexing.reached(entries[-1].seq, len(entries))


async def wait_until_indexed(world: World, seq: int) -> bool:
    """Whether everything up to a place in the order has its vector within the time a write may wait."""
    if world.embedder is None:
        return False
    try:
        async with asyncio.timeout(WAIT_S):
            return await world.signals.indexing.until_reached(seq)
    except TimeoutError:
        return False


async def _next_entries(world: World) -> Sequence[MemoryEntry]:
    """The next entries without a vector: whole commits only, so that no entry of one is passed over."""
    limit = BATCH
    while True:
        entries = await world.ledger.entries_after(HOME_SPACE, world.signals.indexing.through, limit)
        if len(entries) < limit:
            return entries
        whole = [entry for entry in entries if entry.seq < entries[-1].seq]
        if whole:
            return whole
        limit *= 2


async def _index(world: World, embedder: Embedder, index: VectorIndex, entries: Sequence[MemoryEntry]) -> None:
    living = [entry for entry in entries if not entry.deleted_at]
    rows: list[StoredVector] = []
    for start in range(0, len(living), BATCH):
        rows += await _embedded(world, embedder, living[start : start + BATCH])
    await world.ledger.save_vectors(HOME_SPACE, embedder.model_id, rows, entries[-1].seq)
    there = await world.ledger.living_ids([row.entry_id for row in rows], Audience(everything=True))
    for row in rows:
        if row.entry_id in there:  # it may have been erased meanwhile
            index.put(row.space, row.entry_id, row.vector)
    for entry in entries:
        if entry.deleted_at:
            index.drop(entry.space, entry.id)


async def _embedded(world: World, embedder: Embedder, batch: Sequence[MemoryEntry]) -> list[StoredVector]:
    """The vectors of a batch; a text that the model cannot bear is found one by one, noted and left out."""
    try:
        vectors = await embedder.embed([entry.content for entry in batch], "document")
    except CsbError:
        await embedder.embed(["hello"], "document")  # raises when it is the model and not one of the texts
        return await _one_by_one(world, embedder, batch)
    return [_row(entry, vector) for entry, vector in zip(batch, vectors, strict=True)]


async def _one_by_one(world: World, embedder: Embedder, batch: Sequence[MemoryEntry]) -> list[StoredVector]:
    rows: list[StoredVector] = []
    for entry in batch:
        try:
            rows.append(_row(entry, (await embedder.embed([entry.content], "document"))[0]))
        except CsbError as fault:
            world.journal.failed("index_vectors", fault, entry=entry.id)
    return rows


def _row(entry: MemoryEntry, vector: bytes) -> StoredVector:
    return StoredVector(entry.id, entry.space, entry.seq, vector)
