"""A memory is softly deleted: nothing answers from it any more, and its rows wait to be cleared (MEM-005 §5.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from csbond.flows.edit_memory import check_version, unless
from csbond.flows.entry_names import names_of_text
from csbond.flows.made_again import made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.read_memory import found_entry
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, entry_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.eviction import Move, Trigger, eviction_details
from csbond.protocol.memory.rights import deletes, may_change, may_read
from csbond.protocol.messages.caller import Caller

BY_HAND: Trigger = "manual"
"""The trigger of a deletion that a caller asked for (MEM-005 §5.4)."""


async def delete_memory(
    world: World, entry_id: str, caller: Caller, intent: Intent, expected: Collection[int] = ()
) -> tuple[MemoryEntry, ...]:
    """The deleted entry, with all pieces of the text it belongs to; deleting it again answers the same.

    What an editor deleted and the owner deletes again only the owner brings back, as if deleted by the owner alone.

    1. the caller may read memory (`forbidden`); 2. the entry is there for it (`memory_not_found`), and it may change it
    (`forbidden`); 3. one of the expected versions, if any, is the current one (`version_conflict`).
    """
    may_read(caller)
    async with world.writing.hold(await names_of_text(world, entry_id)):
        return await made_again(lambda: _delete(world, entry_id, caller, intent, expected), unless(expected))


async def _delete(
    world: World, entry_id: str, caller: Caller, intent: Intent, expected: Collection[int]
) -> tuple[MemoryEntry, ...]:
    entry = await found_entry(world, entry_id, caller)
    may_change(caller, entry)
    pieces = await world.ledger.entry_pieces(entry_id) or (entry,)
    going = [piece for piece in pieces if deletes(caller, piece)]
    if not going:
        return pieces
    check_version(entry, expected)
    now = world.clock.now()
    deleted = [
        replace(
            piece,
            deleted_at=piece.deleted_at or now,
            deleted_by=BY_HAND,
            deleter=caller.key,
            version=piece.version + 1,
        )
        for piece in going
    ]
    evictions = [eviction_details(Move(piece, "deleted", BY_HAND), now) for piece in going if not piece.deleted_at]
    details = {"entries": [piece.id for piece in deleted], "trigger": BY_HAND, "soft": True, "evictions": evictions}
    record = memory_record(world, "delete", entry_id, intent, now, details)
    await commit_memory(world, entry_writes(deleted), record)
    return await world.ledger.entry_pieces(entry_id) or (deleted[0],)
