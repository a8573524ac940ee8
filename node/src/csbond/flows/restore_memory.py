"""A softly deleted memory comes back with each piece of its text; its links show again by themselves (MEM-005 §5.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from csbond.flows.edit_memory import check_version, unless
from csbond.flows.entry_names import names_of_text
from csbond.flows.link_targets import told_links
from csbond.flows.made_again import made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.read_memory import found_entry
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, entry_writes, spare_writes, used_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.deletion import checked_restorable
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.review import keeps_back
from csbond.protocol.memory.rights import may_change, may_read, may_restore
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller, CallerKind


async def restore_memory(
    world: World, entry_id: str, caller: Caller, intent: Intent, expected: Collection[int] = ()
) -> tuple[MemoryEntry, ...]:
    """The whole text of the entry, living again, piece by piece; what lives already is answered as it is.

    What deleted it by itself would do so again at once: after the owner brought it back, no rule and no time to live
    takes it for as long as what was declined is not asked again. An editor does not escape the rules of the owner so.

    1. the node keeps up with its vectors (`too_busy`); 2. the caller may read memory (`forbidden`); 3. the entry is
    there for it, deleted or not (`memory_not_found`), and it may change it and bring it back (`forbidden`); 4. one of
    the expected versions, if any, is the current one (`version_conflict`); 5. it was deleted not too long ago, or a
    person is asked whether to clear it, or declined (`not_restorable`).
    """
    may_read(caller)
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    async with world.writing.hold(await names_of_text(world, entry_id)):
        pieces = await made_again(lambda: _restore(world, entry_id, caller, intent, expected), unless(expected))
    return await told_links(world, pieces, audience_of(caller))


async def _restore(
    world: World, entry_id: str, caller: Caller, intent: Intent, expected: Collection[int]
) -> tuple[MemoryEntry, ...]:
    entry = await found_entry(world, entry_id, caller)
    may_change(caller, entry)
    pieces = await world.ledger.entry_pieces(entry_id) or (entry,)
    gone = [piece for piece in pieces if piece.deleted_at]
    if not gone:
        return pieces
    for piece in gone:
        may_restore(caller, piece)
    check_version(entry, expected)
    now = world.clock.now()
    kept_back = any(map(keeps_back, (await world.ledger.latest_reviews([p.id for p in pieces], "clear")).values()))
    for piece in gone:
        checked_restorable(piece, now, world.deletion, kept_back=kept_back)
    restored = [replace(piece, deleted_at=0, deleted_by="", deleter="", version=piece.version + 1) for piece in gone]
    details = {"entries": [piece.id for piece in restored]}
    record = memory_record(world, "restore", entry_id, intent, now, details)
    spared = spare_writes(pieces, now + world.review_again_ms) if caller.kind is CallerKind.OWNER else ()
    await commit_memory(world, (*entry_writes(restored), *used_writes(restored, now), *spared), record)
    return await world.ledger.entry_pieces(entry_id) or pieces
