"""Memories are read: one with the whole text it belongs to, or a page of them.

Reading does not move `lastAccessed` and `accessCount`: they are kept and shown as they were written, because a
counter that made a new version of the entry would break every client that edits with If-Match. What counts accesses
is the tending of the tiers (MEM-004).
"""

from __future__ import annotations

from dataclasses import dataclass

from csbond.flows.ports import EntryQuery
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.formation import join_pieces
from csbond.protocol.memory.visibility import Audience, audience_of, may_hear
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page


@dataclass(frozen=True, slots=True)
class EntryShown:
    """An entry and the pieces of the text it belongs to: itself alone for a short one."""

    entry: MemoryEntry
    pieces: tuple[MemoryEntry, ...]

    @property
    def text(self) -> str:
        """The whole text, its pieces joined."""
        return join_pieces(self.pieces)


async def read_memory(world: World, entry_id: str, caller: Caller) -> EntryShown:
    """A living entry with its pieces; `memory_not_found` when there is none for this caller."""
    entry = await living_entry(world, entry_id, caller)
    pieces = await world.ledger.entry_pieces(entry_id)
    return EntryShown(entry, tuple(piece for piece in pieces if not piece.deleted_at) or (entry,))


async def list_memory(
    world: World,
    entry_filter: EntryFilter,
    caller: Caller,
    before: tuple[int, str] | None = None,
    limit: int = PAGE_SIZE_DEFAULT,
) -> Page[MemoryEntry]:
    """A page of the living entries this caller may be told, newest first."""
    return await world.ledger.entries(entry_query(entry_filter, audience_of(caller), before, limit))


def entry_query(
    entry_filter: EntryFilter, audience: Audience, before: tuple[int, str] | None = None, limit: int = PAGE_SIZE_DEFAULT
) -> EntryQuery:
    """What to ask the ledger for."""
    return EntryQuery(
        space=HOME_SPACE,
        audience=audience,
        level=entry_filter.level,
        type=entry_filter.type,
        tag=entry_filter.tag,
        source=entry_filter.source,
        before=before,
        limit=limit,
    )


async def living_entry(world: World, entry_id: str, caller: Caller) -> MemoryEntry:
    """An entry that is not deleted; `memory_not_found` when there is none for this caller."""
    entry = await found_entry(world, entry_id, caller)
    if entry.deleted_at:
        raise Refused("memory_not_found", f"the memory {entry_id} was deleted")
    return entry


async def found_entry(world: World, entry_id: str, caller: Caller) -> MemoryEntry:
    """An entry, softly deleted ones too; `memory_not_found` when there is none for this caller."""
    entry = await world.ledger.entry(entry_id)
    if entry is None or not may_hear(audience_of(caller), entry):
        raise Refused("memory_not_found", f"there is no memory {entry_id}")
    return entry
