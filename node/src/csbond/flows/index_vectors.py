"""Vectors follow the ledger: one worker embeds what was written and moves the indexed-through number.

Rows are the truth and the index is rebuilt from them at start. Vectors belong to one model: another model begins at
the start of the ledger, and the two are never mixed. What is left of the one before goes when the new one is through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from csbond.flows.ports import Embedder, StoredVector, VectorIndex
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.facets import facets_of
from csbond.protocol.memory.reindexing import needs_vector
from csbond.protocol.memory.visibility import Audience

BATCH = 64
"""Entries embedded at once: enough to fill the model, few enough that a waiting write hears soon."""
PAGE = 500
"""Vectors read or dropped at once: a few milliseconds, and others get their turn."""
RETRY_FIRST_S = 1.0
"""Seconds before an embedder that failed is asked again; doubled each time."""
RETRY_MAX_S = 60.0
"""The longest wait between two tries."""
WAIT_S = 10.0
"""Seconds a write with `?wait=index` waits at most: far more than a batch takes."""


_PROBE = "hello"
"""A text that every model bears."""


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
            await _settle(world.index)
        except Exception as fault:
            world.journal.failed("index_vectors", fault)
            world.signals.indexing.failed(fault.reason if isinstance(fault, CsbError) else "a fault of this node")
            await asyncio.sleep(delay)
            delay = min(2 * delay, RETRY_MAX_S)
        else:
            delay = RETRY_FIRST_S
            await world.signals.indexing.until_written()


async def rebuild_index(world: World) -> None:
    """Fill the index from the vector rows of this model, and find out how much is missing.

    Rows that are not as long as the model's vectors come from somewhere else: then all of them are made anew.
    """
    if world.embedder is None or world.index is None:
        return
    await world.embedder.open()
    through = await world.ledger.indexed_through(HOME_SPACE, world.embedder.model_id)
    if through < 0 or not await _filled(world, world.embedder, world.index):
        await _begin_anew(world, world.embedder, world.index)
        return
    counts = await world.ledger.counts()
    world.signals.indexing.started(through, max(0, counts["entries"] - world.index.count(HOME_SPACE)))
    await _settle(world.index)


async def catch_up(world: World) -> None:
    """Give every entry written so far its vector; `embedder_unavailable` when the model does not answer."""
    if world.embedder is None or world.index is None:
        return
    indexing = world.signals.indexing
    while True:
        if indexing.anew:
            await _begin_anew(world, world.embedder, world.index)
        head = await world.ledger.space_seq(HOME_SPACE)
        entries = await next_entries(world, indexing.through)
        if entries:
            await _index(world, world.embedder, world.index, entries)
            indexing.reached(entries[-1].seq, len(entries))
        elif not indexing.anew:
            if indexing.caught_up(head):
                await _drop_other_models(world, world.embedder.model_id)
            return


async def wait_until_indexed(world: World, seq: int) -> bool:
    """Whether everything up to a place in the order has its vector within the time a write may wait."""
    if world.embedder is None:
        return False
    try:
        async with asyncio.timeout(WAIT_S):
            return await world.signals.indexing.until_reached(seq)
    except TimeoutError:
        return False


async def next_entries(world: World, after: int) -> Sequence[MemoryEntry]:
    """The entries that changed next after a place: whole commits only, so that no entry of one is passed over."""
    limit = BATCH
    while True:
        entries = await world.ledger.entries_after(HOME_SPACE, after, limit)
        if len(entries) < limit:
            return entries
        whole = [entry for entry in entries if entry.seq < entries[-1].seq]
        if whole:
            return whole
        limit *= 2


async def _filled(world: World, embedder: Embedder, index: VectorIndex) -> bool:
    """Whether every vector row of the model was as long as it should be; the index holds those before the first odd."""
    index.begin(embedder.dimension)
    place, size = -1, embedder.dimension * 4
    while rows := await world.ledger.vectors(HOME_SPACE, embedder.model_id, place, PAGE):
        for row in rows:
            if len(row.stored.vector) != size:
                return False
            index.put(HOME_SPACE, row.stored.entry_id, row.stored.vector, row.facets)
        place = rows[-1].place
    return True


async def _begin_anew(world: World, embedder: Embedder, index: VectorIndex) -> None:
    """Leave no vector of the model, and begin at the start of the ledger."""
    world.signals.indexing.begun_anew()
    index.begin(embedder.dimension)
    await _drop(world, embedder.model_id)
    world.signals.indexing.started(0, (await world.ledger.counts())["entries"])


async def _drop_other_models(world: World, model_id: str) -> None:
    for model in await world.ledger.models(HOME_SPACE):
        if model.model_id != model_id:
            await _drop(world, model.model_id)


async def _drop(world: World, model_id: str) -> None:
    while await world.ledger.drop_vectors(HOME_SPACE, model_id, PAGE):
        pass


async def _settle(index: VectorIndex) -> None:
    if index.unsettled(HOME_SPACE):
        await asyncio.to_thread(index.settle, HOME_SPACE)


async def _index(world: World, embedder: Embedder, index: VectorIndex, entries: Sequence[MemoryEntry]) -> None:
    """Embed what says something new, file the rest where it is now, and leave out what no model can bear."""
    known = await world.ledger.vectors_of(HOME_SPACE, embedder.model_id, [entry.id for entry in entries])
    living = [entry for entry in entries if not entry.deleted_at]
    stale = [entry for entry in living if needs_vector(entry, _seq_of(known.get(entry.id)))]
    rows: list[StoredVector] = []
    for start in range(0, len(stale), BATCH):
        rows += await _embedded(world, embedder, stale[start : start + BATCH])
    made = {row.entry_id: row for row in rows}
    gone = {entry.id for entry in stale} - made.keys()
    await world.ledger.save_vectors(HOME_SPACE, embedder.model_id, rows, entries[-1].seq, sorted(gone & known.keys()))
    # Meanwhile some may have been deleted or erased.
    there = await world.ledger.living_ids([entry.id for entry in living], Audience(everything=True)) - gone
    for entry in entries:
        if entry.id not in there:
            index.drop(entry.space, entry.id)
        elif entry.id in made or not index.refile(entry.space, entry.id, facets_of(entry)):
            index.put(entry.space, entry.id, (known | made)[entry.id].vector, facets_of(entry))


def _seq_of(row: StoredVector | None) -> int | None:
    return row.seq if row else None


async def _embedded(world: World, embedder: Embedder, batch: Sequence[MemoryEntry]) -> list[StoredVector]:
    """The vectors of a batch; a text that the model cannot bear is found one by one, noted and left out."""
    try:
        vectors = await embedder.embed([entry.content for entry in batch], "document")
    except CsbError:
        await embedder.embed([_PROBE], "document")  # raises when it is the model and not one of the texts
        return await _one_by_one(world, embedder, batch)
    return [_row(entry, vector) for entry, vector in zip(batch, vectors, strict=True)]


async def _one_by_one(world: World, embedder: Embedder, batch: Sequence[MemoryEntry]) -> list[StoredVector]:
    rows: list[StoredVector] = []
    for entry in batch:
        try:
            rows.append(_row(entry, (await embedder.embed([entry.content], "document"))[0]))
        except CsbError as fault:
            await embedder.embed([_PROBE], "document")
            world.journal.failed("index_vectors", fault, entry=entry.id)
    return rows


def _row(entry: MemoryEntry, vector: bytes) -> StoredVector:
    return StoredVector(entry.id, entry.space, entry.seq, vector)
