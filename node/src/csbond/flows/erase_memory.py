"""A memory is erased at once: nothing that can be read is left of it in this home (MEM-003 §3.1, MEM-005 §5.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from csbond.flows.by_hand import by_hand, commit_moves
from csbond.flows.copies_elsewhere import Copy, copies_elsewhere
from csbond.flows.edit_memory import check_version, unless
from csbond.flows.made_again import made_again
from csbond.flows.read_memory import found_entry
from csbond.flows.world import World
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.rights import may_forget
from csbond.protocol.memory.whitespace import checked_reason
from csbond.protocol.messages.caller import Caller

NO_REASON = "the owner asked for it"
"""What the record says where no reason is given."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What became of a memory that is to be erased."""

    ids: tuple[str, ...]
    """Its entry, or all pieces of the text it belongs to."""
    archived: bool
    """Whether a record without content is kept (MEM-004 §4.3)."""
    erased: bool = False
    """Whether no byte of it is left in the files; otherwise the node tries again."""
    copies: tuple[Copy, ...] = ()
    """What still holds the text, because it is no memory: messages, with their tasks."""


async def erase_memory(
    world: World, entry_id: str, caller: Caller, intent: Intent, reason: str = NO_REASON, expected: Collection[int] = ()
) -> Erased:
    """Erase an entry with all pieces of its text; erasing again answers the same while its record is kept.

    1. the caller is the owner (`forbidden`); 2. the reason can be kept (`invalid_params`); 3. the entry is there, alive
    or softly deleted, or was cleared (`memory_not_found`); 4. one of the expected versions, if any, is the current one
    (`version_conflict`).
    """
    may_forget(caller)
    reason = checked_reason(reason)
    done = await made_again(lambda: _erase(world, entry_id, caller, intent, reason, expected), unless(expected))
    return replace(done, erased=await world.ledger.erase_traces())


async def _erase(
    world: World, entry_id: str, caller: Caller, intent: Intent, reason: str, expected: Collection[int]
) -> Erased:
    pieces = await world.ledger.entry_pieces(entry_id)
    if not pieces and await world.ledger.archived(entry_id):
        return Erased((entry_id,), archived=True)
    entry = await found_entry(world, entry_id, caller)
    check_version(entry, expected)
    copies = await copies_elsewhere(world, pieces)
    move = Move(pieces[0], "erased", "manual", pieces=pieces[1:])
    await commit_moves(world, by_hand(world, caller, intent, reason), [move])
    return Erased(tuple(piece.id for piece in pieces), world.whitespace.enabled, copies=copies)
