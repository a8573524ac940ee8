"""A memory is softly deleted: nothing answers from it any more, and its rows wait to be cleared (MEM-005 §5.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from csbond.flows.changes import Change
from csbond.flows.edit_memory import check_version, made_again
from csbond.flows.read_memory import found_entry
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import entry_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.messages.caller import Caller


async def delete_memory(
    world: World, entry_id: str, caller: Caller, intent: Intent, expected: Collection[int] = ()
) -> tuple[MemoryEntry, ...]:
    """The deleted entry, with all pieces of the text it belongs to; deleting it again answers the same.

    1. the entry is there for the caller (`memory_not_found`); 2. one of the expected versions, if any, is the
    current one (`version_conflict`).
    """
    return await made_again(lambda: _delete(world, entry_id, caller, intent, expected), expected)


async def _delete(
    world: World, entry_id: str, caller: Caller, intent: Intent, expected: Collection[int]
) -> tuple[MemoryEntry, ...]:
    entry = await found_entry(world, entry_id, caller)
    pieces = await world.ledger.entry_pieces(entry_id) or (entry,)
    if entry.deleted_at:
        return pieces
    check_version(entry, expected)
    now = world.clock.now()
    deleted = [replace(piece, deleted_at=now, version=piece.version + 1) for piece in pieces if not piece.deleted_at]
    writes = entry_writes(deleted)
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="memory_delete",
        timestamp=now,
        operation="delete_memory",
        target=entry_id,
        intent=intent,
        details={"entries": [piece.id for piece in deleted], "trigger": "manual", "soft": True},
    )
    await world.ledger.commit(Change(HOME_SPACE, writes, (record,)))
    world.signals.wake(writes)
    return await world.ledger.entry_pieces(entry_id) or (replace(entry, deleted_at=now),)
