"""What a memory waits for, and when it would move if nobody used it any more (MEM-004 §4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.flows.forgetting_in_force import forgetting_in_force
from csbond.flows.world import World
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.forgetting import verdict
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.promotion import outlook
from csbond.protocol.memory.use import after_use, use_of_text


async def show_outlook(world: World, entry: MemoryEntry, names: LevelNames) -> Mapping[str, Any]:
    """The factors, scores and next move of an entry, its uses that wait to be kept counted too.

    Being shown is a use, so what is told here begins with this very look. Of a piece it is what its first piece says.
    """
    now = world.clock.now()
    entry, *others = await world.ledger.entry_pieces(entry.id) or (entry,)
    waiting = world.signals.uses.waiting
    uses = [waiting(entry.id), *(use and use_of_text(use, entry.id) for use in map(waiting, (o.id for o in others)))]
    for use in uses:
        entry = after_use(entry, use) if use else entry
    later = max(now, entry.spared_until)  # until then nothing takes it, whatever else protects it
    protected = verdict(await forgetting_in_force(world), entry, later).action == "protect"
    return outlook(entry, now, world.tiers, names, protected=protected)
