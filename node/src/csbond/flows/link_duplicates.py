"""Memories that say nearly the same are linked, the later to the earlier, once both have their vectors (MEM-002 §2.2).

Both stay as they are: nothing is merged, retired or hidden for being like another. Each new text is compared once, with
the few that share its rarest words, by a worker that lets everybody else go first: no write and no search waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from csbond.flows.entry_names import entry_names
from csbond.flows.index_vectors import BATCH, next_entries
from csbond.flows.link_refused import LinkRefused
from csbond.flows.made_again import made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.ports import EntryQuery
from csbond.flows.tend_step import NODE
from csbond.flows.world import HOME_SPACE, NODE_SPACE, World
from csbond.flows.write_memory import commit_memory, entry_writes, link_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.memory.calibration import Calibration, calibration_of
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import LINKS_MAX, in_order
from csbond.protocol.memory.near_duplicates import (
    MADE_BY,
    Verdict,
    are_comparable,
    link_between,
    searched_by,
    verdict,
)
from csbond.protocol.memory.text_key import text_key
from csbond.protocol.memory.vectors import cosine
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.memory.words import match_any

LOOKED_AT = 5
"""Memories with its words that a new one is compared with at most, and as many of its very text."""
LINKS_MADE = 3
"""Links a new memory gets at most: who is told of three twins need not be told of more."""
PAUSE_S = 0.02
"""Seconds between two comparisons, many times what one takes: others have the node nearly for themselves."""
RETRY_S = 60.0
"""Seconds after which comparing goes on when something failed."""
PROGRESS = "near_duplicates"
"""By which name the ledger keeps how far the memory was compared."""
BY_ITSELF = Intent("link what says nearly the same", NODE, "the settings of the home")

Pause = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class _Twin:
    """An earlier memory that says nearly the same."""

    entry: MemoryEntry
    verdict: Verdict


async def link_duplicates_for_ever(world: World, pause: Pause = asyncio.sleep) -> None:
    """Compare what is new for the life of the node; returns at once where nothing is to be linked."""
    if not world.near.links or world.embedder is None:
        return
    indexing = world.signals.indexing
    while True:
        try:
            await link_duplicates(world, pause)
        except Exception as fault:
            world.journal.failed("link_duplicates", fault)
            await pause(RETRY_S)
        else:
            await indexing.until_moved()


async def link_duplicates(world: World, pause: Pause | None = None) -> int:
    """How many links were made for the texts that are new since the last time and have their vectors.

    A pair that was linked before and is not any more was parted by somebody, and is not linked again. How far the
    memory was compared is kept from process to process.
    """
    made, indexing = 0, world.signals.indexing
    compared = await world.ledger.indexed_through(NODE_SPACE, PROGRESS)
    while compared < indexing.through:
        entries = [entry for entry in await next_entries(world, compared) if entry.seq <= indexing.through]
        for entry in entries:
            if entry.text_seq > compared and not entry.deleted_at:
                made += await _compared(world, entry)
                await _give_way(world, pause)
        compared = entries[-1].seq if entries else indexing.through
        await world.ledger.save_vectors(NODE_SPACE, PROGRESS, (), compared)
    return made


async def _give_way(world: World, pause: Pause | None) -> None:
    """Whoever waits for vectors comes first."""
    if pause is not None:
        await pause(PAUSE_S)
        while world.signals.indexing.waiting > BATCH:
            await world.signals.indexing.until_moved()


async def _compared(world: World, entry: MemoryEntry) -> int:
    if not await _twins(world, entry):
        return 0
    async with world.writing.hold(entry_names((entry.id,))):
        try:
            return await made_again(lambda: _linked(world, entry))
        except LinkRefused:
            return 0  # what it says nearly the same as is gone in this moment


async def _linked(world: World, entry: MemoryEntry) -> int:
    """The number of links the memory was given as it is now, if it still says what it said."""
    now, current = world.clock.now(), await world.ledger.entry(entry.id)
    if current is None or current.text_seq != entry.text_seq:
        return 0
    room = LINKS_MAX - len(current.links) - len(await world.ledger.hidden_links(entry.id))
    twins = (await _twins(world, current))[: max(0, min(room, LINKS_MADE))]
    if not twins:
        return 0
    links = tuple(link_between(twin.entry, twin.verdict) for twin in twins)
    after = replace(current, version=current.version + 1, links=in_order((*current.links, *links)), linked=True)
    writes = (*entry_writes((after,)), *link_writes(after.id, links, now))
    await commit_memory(world, writes, _record(world, after, twins, now))
    return len(twins)


async def _twins(world: World, entry: MemoryEntry) -> list[_Twin]:
    """What said nearly the same before, the likest first."""
    others = [
        other
        for other in (await _candidates(world, entry)).values()
        if are_comparable(entry, other) and (other.text_seq, other.id) < (entry.text_seq, entry.id)
    ]
    # By words first: vectors are read for the few that pass.
    likely = [other for other in others if verdict(entry, other, 1.0, 1.0, world.near.words).links]
    cosines = await _cosines(world, entry, likely) if likely else {}
    least = world.near.cosine or _model(world).near
    found = []
    for other in likely:
        judged = verdict(entry, other, cosines.get(other.id, -1.0), least, world.near.words)
        if judged.links and not await _were_parted(world, entry, other):
            found.append(_Twin(other, judged))
    return sorted(found, key=lambda twin: (-twin.verdict.words, twin.entry.text_seq, twin.entry.id))


async def _candidates(world: World, entry: MemoryEntry) -> dict[str, MemoryEntry]:
    """Memories of the very text, and those that share most of its rarest words."""
    same = await world.ledger.entries_of_text(entry.space, text_key(entry.content), entry.origin, limit=LOOKED_AT)
    terms = searched_by(entry.content)
    query = EntryQuery(entry.space, Audience(everything=True))
    hits = (await world.ledger.search_entries(match_any(terms), terms.terms, query, LOOKED_AT + 1)).hits
    found = await world.ledger.entries_by_id([hit.id for hit in hits if hit.id != entry.id])
    return {each.id: each for each in same} | found


async def _cosines(world: World, entry: MemoryEntry, others: Sequence[MemoryEntry]) -> Mapping[str, float]:
    """How near the others are; one that has no vector yet, or none that this model made, is not in it."""
    model_id = world.embedder.model_id if world.embedder else ""
    rows = await world.ledger.vectors_of(HOME_SPACE, model_id, [entry.id, *(other.id for other in others)])
    own = rows.pop(entry.id, None)
    return {id_: cosine(own.vector, row.vector) for id_, row in rows.items()} if own else {}


def _model(world: World) -> Calibration:
    return calibration_of(world.embedder.model_id if world.embedder else "")


async def _were_parted(world: World, one: MemoryEntry, other: MemoryEntry) -> bool:
    """Whether they were linked so in any earlier version; who took the link away does not want it."""
    for entry, target in ((one, other), (other, one)):
        if entry.linked and await world.ledger.was_linked(entry.id, target.id, MADE_BY):
            return True
    return False


def _record(world: World, after: MemoryEntry, twins: Sequence[_Twin], now: int) -> AuditDraft:
    details = {
        "from_version": after.version - 1,
        "to_version": after.version,
        "added": [[twin.entry.id, link_between(twin.entry, twin.verdict).relation] for twin in twins],
        "removed": [],
        "made_by": MADE_BY,
        "words": [round(twin.verdict.words, 2) for twin in twins],
    }
    return memory_record(world, "link", after.id, BY_ITSELF, now, details)
