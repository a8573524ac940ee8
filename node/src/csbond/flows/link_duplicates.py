"""Memories that say nearly the same are linked, the later to the earlier, once each has its vector (MEM-002 §2.2).

Both stay as they are: nothing is merged, retired or hidden for being like another. Only what is new is compared, with
the few that are nearest to it, so the cost of a write does not grow with the memory beyond that of one search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from csbond.flows.entry_names import entry_names
from csbond.flows.link_refused import LinkRefused
from csbond.flows.made_again import made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.ports import EntryQuery, Nearest
from csbond.flows.tend_step import NODE
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, entry_writes, link_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.memory.calibration import calibration_of
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import LINKS_MAX, in_order
from csbond.protocol.memory.near_duplicates import (
    MADE_BY,
    Verdict,
    are_comparable,
    link_between,
    verdict,
)
from csbond.protocol.memory.text_key import text_key
from csbond.protocol.memory.visibility import Audience

LOOKED_AT = 8
"""Nearest memories that a new one is compared with."""
LINKS_MADE = 3
"""Links a new memory gets at most: who is told of three twins need not be told of more."""
BY_ITSELF = Intent("link what says nearly the same", NODE, "the settings of the home")
_EVERYTHING = Audience(everything=True)


@dataclass(frozen=True, slots=True)
class _Twin:
    """An earlier memory that says nearly the same."""

    entry: MemoryEntry
    verdict: Verdict
    cosine: float | None
    """None when its text alone led to it."""


async def link_duplicates(world: World, fresh: Sequence[tuple[MemoryEntry, bytes]]) -> int:
    """How many links were made for new memories, each given with its vector, to those that said it before.

    One that was linked before and is not any more was parted by somebody, and is not linked again.
    """
    if not world.near.links or world.nearest is None or world.embedder is None:
        return 0
    made = 0
    for entry, vector in fresh:
        if await _twins(world, world.nearest, entry, vector):
            made += await _linked(world, world.nearest, entry, vector)
    return made


async def _linked(world: World, nearest: Nearest, entry: MemoryEntry, vector: bytes) -> int:
    async with world.writing.hold(entry_names((entry.id,))):
        try:
            return await made_again(lambda: _link(world, nearest, entry, vector))
        except LinkRefused:
            return 0  # what it says nearly the same as is gone in this moment


async def _link(world: World, nearest: Nearest, entry: MemoryEntry, vector: bytes) -> int:
    """The number of links the memory was given as it is now, if it still says what the vector is of."""
    now, current = world.clock.now(), await world.ledger.entry(entry.id)
    if current is None or current.deleted_at or current.text_seq != entry.text_seq:
        return 0
    room = LINKS_MAX - len(current.links) - len(await world.ledger.hidden_links(entry.id))
    twins = (await _twins(world, nearest, current, vector))[: max(0, min(room, LINKS_MADE))]
    if not twins:
        return 0
    links = tuple(link_between(twin.entry, twin.verdict) for twin in twins)
    after = replace(current, version=current.version + 1, links=in_order((*current.links, *links)), linked=True)
    writes = (*entry_writes((after,)), *link_writes(after.id, links, now))
    await commit_memory(world, writes, _record(world, after, twins, now))
    return len(twins)


async def _twins(world: World, nearest: Nearest, entry: MemoryEntry, vector: bytes) -> list[_Twin]:
    """What said nearly the same before, the likest first."""
    cosines = dict(await nearest.nearest(EntryQuery(entry.space, _EVERYTHING), vector, LOOKED_AT))
    same = await world.ledger.entries_of_text(entry.space, text_key(entry.content), entry.origin, limit=LOOKED_AT)
    least = world.near.cosine or _least(world)
    near = [id_ for id_, cosine in cosines.items() if cosine >= least]
    others = {each.id: each for each in same} | await world.ledger.entries_by_id(near)
    found = []
    for other in others.values():
        if are_comparable(entry, other) and _came_first(other, entry):
            judged = verdict(entry, other, cosines.get(other.id, 0.0), least, world.near.words)
            if judged.links and not await _were_parted(world, entry, other):
                found.append(_Twin(other, judged, cosines.get(other.id)))
    return sorted(found, key=lambda twin: (-twin.verdict.words, -(twin.cosine or 0.0), twin.entry.id))


def _least(world: World) -> float:
    return calibration_of(world.embedder.model_id if world.embedder else "").near


def _came_first(one: MemoryEntry, other: MemoryEntry) -> bool:
    return (one.text_seq, one.id) < (other.text_seq, other.id)


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
