"""What a person does to memories at once: the same moves that tending makes, by that person's wish (MEM-005 §5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from csbond.flows.changes import Write
from csbond.flows.tend_step import Tending, leave_index, move_writes, settle_uses
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.messages.caller import Caller


def by_hand(
    world: World, caller: Caller, intent: Intent, reason: str = "", forgetting: ForgettingPolicy | None = None
) -> Tending:
    """One run now, by the wish of a caller, with the reason it gives."""
    return Tending(world.clock.now(), forgetting or ForgettingPolicy(), intent, caller.key, reason=reason)


async def commit_moves(
    world: World, tending: Tending, moves: Sequence[Move], writes: Sequence[Write] = (), *records: AuditDraft
) -> None:
    """Make the moves, with what is written and recorded beside them, all or nothing.

    `version_conflict` when one of the memories is not as it was any more.
    """
    await settle_uses(world, moves)
    made, told = list(writes), list(records)
    for move in moves:
        of_move, of_pieces = move_writes(world, tending, move)
        made += of_move
        told += of_pieces
    await commit_memory(world, made, *told)
    leave_index(world, moves)
