"""A memory is raised or lowered by name: it takes its new tier as its next version (MEM-003 §3.1, MEM-004 §4.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from csbond.flows.edit_memory import check_version, unless
from csbond.flows.link_targets import told_links
from csbond.flows.made_again import made_again
from csbond.flows.note_use import keep_uses
from csbond.flows.read_memory import living_entry
from csbond.flows.tend_step import Tending, move_writes
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.eviction import Move, moved
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.rights import may_change
from csbond.protocol.memory.tiers import lowered, raised
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller


async def raise_memory(
    world: World,
    entry_id: str,
    to: Level | None = None,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
) -> MemoryEntry:
    """The memory in the next higher tier, or the higher one named; what is there already is answered as it is.

    1. The entry is there for the caller (`memory_not_found`), who may change it (`forbidden`); 2. the tier named is
    none below it (`invalid_params`); 3. one of the expected versions, if any, is the current one (`version_conflict`).
    """
    return await made_again(
        lambda: _move(world, entry_id, lambda level: raised(level, to), caller, intent, expected), unless(expected)
    )


async def lower_memory(
    world: World,
    entry_id: str,
    to: Level | None = None,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
) -> MemoryEntry:
    """The memory in the next lower tier, or the lower one named; what is there already is answered as it is.

    Its uses so far do not raise it again. The ladder is that of `raise_memory`, with no tier above it.
    """
    return await made_again(
        lambda: _move(world, entry_id, lambda level: lowered(level, to), caller, intent, expected), unless(expected)
    )


async def _move(
    world: World,
    entry_id: str,
    target: Callable[[Level], Level],
    caller: Caller,
    intent: Intent,
    expected: Collection[int],
) -> MemoryEntry:
    entry, audience = await living_entry(world, entry_id, caller), audience_of(caller)
    may_change(caller, entry)
    level = target(entry.level)
    if level is not entry.level:
        check_version(entry, expected)
        by_hand = Tending(world.clock.now(), ForgettingPolicy(), intent, caller.key)
        move = Move(entry, level, "manual")
        await keep_uses(world)  # those before the move
        writes, record = move_writes(world, by_hand, move)
        committed = await commit_memory(world, writes, record)
        entry = replace(moved(move, by_hand.now), seq=committed.space_seq, used_at=by_hand.now, recent="")
    (told,) = await told_links(world, (entry,), audience)
    return told
