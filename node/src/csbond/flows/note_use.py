"""Memories are used, and how often decides their tier: uses are counted at once and kept in groups (MEM-004 §4.1).

Being shown by its id and being found by a search, for the owner, an editor or a skill that answers them, is a use.
What viewers and strangers hear is none, so they raise nothing; nor are lists, exports and what the node does by itself.
A use makes no version of the entry, so nobody's If-Match breaks by reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable

from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, use_writes
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import MemoryEntry

Pause = Callable[[float], Awaitable[object]]


def note_use(world: World, entries: Iterable[MemoryEntry], *, found: Collection[str] = ()) -> None:
    """Count a use of each entry, to be kept a moment later; `found` are the ids of those found by meaning.

    A use of a piece is one of its text, which its first piece counts: once, however many pieces one look shows.
    """
    now, used = world.clock.now(), tuple(entries)
    counted = {_text(entry) for entry in used if not entry.piece}
    found_texts = {_text(entry) for entry in used if entry.id in found}
    for entry in sorted(used, key=lambda entry: entry.id not in found):
        text = _text(entry)
        by_meaning = entry.id in found or (not entry.piece and text in found_texts)
        of_text = text not in counted
        counted.add(text)
        world.signals.uses.note(entry, now, world.tiers.rhythm_ms, found=by_meaning, of_text=of_text)


def _text(entry: MemoryEntry) -> tuple[str, str]:
    """What the pieces of one text share: the message it was cut from."""
    return (entry.origin.caller_key, entry.origin.message_id) if entry.origin.message_id else ("", entry.id)


async def keep_uses(world: World) -> int:
    """Keep what was counted; of how many memories. What cannot be kept waits: `storage_full`, `storage_unavailable`."""
    kept = 0
    while uses := world.signals.uses.take():
        try:
            await commit_memory(world, use_writes(uses))
        except CsbError:
            world.signals.uses.give_back(uses)
            raise
        kept += len(uses)
    return kept


async def keep_uses_for_ever(world: World, longest_s: float, pause: Pause = asyncio.sleep) -> None:
    """Keep uses for the life of the node: so many seconds after they were made, or as soon as there are many."""
    while True:
        await world.signals.uses.until_due(longest_s)
        try:
            await keep_uses(world)
        except Exception as fault:
            world.journal.failed("keep_uses", fault)
            await pause(longest_s)
