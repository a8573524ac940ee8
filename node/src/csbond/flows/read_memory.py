"""Memories are read: one with the whole text it belongs to, or a page of them.

Being shown one by its id is a use (`flows/note_use.py`); a page of a list is none. Uses move `lastAccessed` and
`accessCount` a moment later and make no version of the entry: that would break every client that edits with If-Match.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from csbond.flows.link_targets import is_told, told_entries
from csbond.flows.note_use import note_use
from csbond.flows.ports import EntryQuery
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.errors import Refused, RemoteProtocolError
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.filter import EntryFilter, told_filter
from csbond.protocol.memory.formation import join_pieces
from csbond.protocol.memory.rights import may_read, may_see_deleted, may_write
from csbond.protocol.memory.visibility import Audience, audience_of, may_hear, told_by
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page, cursor_of


@dataclass(frozen=True, slots=True)
class EntryShown:
    """An entry and the pieces of the text it belongs to that may be told: itself alone for a short one."""

    entry: MemoryEntry
    pieces: tuple[MemoryEntry, ...]
    is_piece: bool = False
    """Whether there are others, told or not."""

    @property
    def text(self) -> str:
        """The text, its pieces joined."""
        return join_pieces(self.pieces)


async def read_memory(world: World, entry_id: str, caller: Caller, *, counts: bool = True) -> EntryShown:
    """A living entry with those of its pieces, and links to what, the caller may be told; a use of that entry.

    Whoever does not know yet whether it will be shown lets it not count, and says so by `note_look` afterwards.

    1. the caller may read memory (`forbidden`); 2. the entry is there for it (`memory_not_found`).
    """
    may_read(caller)
    pieces = await world.ledger.entry_pieces(entry_id)
    audience = audience_of(caller)
    found = _living(next((piece for piece in pieces if piece.id == entry_id), None), entry_id, audience)
    (entry,) = await told_entries(world, (found,), audience)
    told = tuple(piece for piece in pieces if not piece.deleted_at and may_hear(audience, piece))
    shown = EntryShown(entry, told or (entry,), len(pieces) > 1)
    if counts:
        note_look(world, shown, caller)
    return shown


def note_look(world: World, found: EntryShown, caller: Caller) -> None:
    """Count that an entry was shown: a use, of somebody whose memory this is."""
    if may_write(caller):
        note_use(world, (found.entry,))


async def read_versions(
    world: World,
    entry_id: str,
    caller: Caller,
    before: tuple[int, str] | None = None,
    limit: int = PAGE_SIZE_DEFAULT,
) -> Page[MemoryEntry]:
    """What a living entry was before, latest first, for the owner and who told it.

    What an edit took away is told to nobody else: to them the versions are not there.

    1. the caller may read memory (`forbidden`); 2. the entry is there for it, and comes from it
    (`memory_not_found`); 3. the place in the list is one of its versions (`invalid_params`).
    """
    may_read(caller)
    entry, audience = await living_entry(world, entry_id, caller), audience_of(caller)
    if not told_by(audience, entry):
        raise _no_memory(entry_id)
    latest, of = before or (entry.version, entry_id)
    if of != entry_id or not 0 < latest <= entry.version:
        raise RemoteProtocolError("invalid_params", "cursor is none of these versions", field="cursor")
    rows = await told_entries(world, await world.ledger.versions_before(entry_id, latest, limit), audience)
    last = latest - limit
    return Page(rows, cursor_of((last, entry_id)) if last > 1 else "", entry.version - 1)


async def list_memory(
    world: World,
    entry_filter: EntryFilter,
    caller: Caller,
    before: tuple[int, str] | None = None,
    limit: int = PAGE_SIZE_DEFAULT,
) -> Page[MemoryEntry]:
    """A page of the entries this caller may be told, newest first, with links to what it may be told.

    1. the caller may read memory, and softly deleted entries if it asks for them (`forbidden`).
    """
    may_read(caller)
    if entry_filter.deleted:
        may_see_deleted(caller)
    audience = audience_of(caller)
    if not await is_told(world, entry_filter.link_target, audience):
        return Page(())
    page = await world.ledger.entries(entry_query(told_filter(entry_filter, audience), audience, before, limit))
    return replace(page, rows=await told_entries(world, page.rows, audience))


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
        project=entry_filter.project,
        link_target=entry_filter.link_target,
        since=entry_filter.since,
        until=entry_filter.until,
        text=entry_filter.text,
        thread=entry_filter.thread,
        deleted=entry_filter.deleted,
        before=before,
        limit=limit,
    )


async def living_entry(world: World, entry_id: str, caller: Caller) -> MemoryEntry:
    """An entry that is not deleted; `memory_not_found` when there is none for this caller."""
    return _living(await world.ledger.entry(entry_id), entry_id, audience_of(caller))


async def found_entry(world: World, entry_id: str, caller: Caller) -> MemoryEntry:
    """An entry; `memory_not_found` when there is none for this caller.

    A softly deleted one is there for the owner and who told it.
    """
    return _heard(await world.ledger.entry(entry_id), entry_id, audience_of(caller))


def _living(entry: MemoryEntry | None, entry_id: str, audience: Audience) -> MemoryEntry:
    heard = _heard(entry, entry_id, audience)
    if heard.deleted_at:
        raise Refused("memory_not_found", f"the memory {entry_id} was deleted")
    return heard


def _heard(entry: MemoryEntry | None, entry_id: str, audience: Audience) -> MemoryEntry:
    heard = entry is not None and (told_by if entry.deleted_at else may_hear)(audience, entry)
    if entry is None or not heard:
        raise _no_memory(entry_id)
    return entry


def _no_memory(entry_id: str) -> Refused:
    return Refused("memory_not_found", f"there is no memory {entry_id}")
