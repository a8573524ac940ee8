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
from csbond.protocol.memory.use import after_use


async def show_outlook(world: World, entry: MemoryEntry, names: LevelNames) -> Mapping[str, Any]:
    """The factors, scores and next move of an entry, its uses that wait to be kept counted too.

    Being shown is a use, so what is told here begins with this very look.
    """
    waiting, now = world.signals.uses.waiting(entry.id), world.clock.now()
    entry = after_use(entry, waiting) if waiting else entry
    protected = verdict(await forgetting_in_force(world), entry, now).action == "protect"
    return outlook(entry, now, world.tiers, names, protected=protected)
