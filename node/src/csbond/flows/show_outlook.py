"""What a memory waits for, and when it would move if nobody used it any more (MEM-004 §4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.flows.forgetting_in_force import forgetting_in_force
from csbond.flows.world import World
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.outlook import outlook
from csbond.protocol.memory.review import ReviewKind
from csbond.protocol.memory.use import after_use, use_of_text

_KINDS: tuple[ReviewKind, ...] = ("lower", "delete")


async def show_outlook(
    world: World, entry: MemoryEntry, names: LevelNames, *, names_rule: bool = True
) -> Mapping[str, Any]:
    """The factors, scores and next move of an entry, its uses that wait to be kept counted too.

    What is told here begins with this very look, where it counts as a use. Of a piece it is what its text waits for.
    What the rules are called is the owner's alone: to others the rule that takes it is not named.
    """
    entry, *others = await world.ledger.entry_pieces(entry.id) or (entry,)
    waiting = world.signals.uses.waiting
    uses = [waiting(entry.id), *(use and use_of_text(use, entry.id) for use in map(waiting, (o.id for o in others)))]
    for use in uses:
        entry = after_use(entry, use) if use else entry
    forgetting, rests = await forgetting_in_force(world), await _rests(world, entry)
    told = outlook((entry, *others), world.clock.now(), world.tiers, forgetting, names, rests=rests)
    if names_rule or not told["next_move"]:
        return told
    return {**told, "next_move": {name: value for name, value in told["next_move"].items() if name != "rule"}}


async def _rests(world: World, entry: MemoryEntry) -> Mapping[ReviewKind, int]:
    """Until when what a person declined about an entry is not asked again."""
    latest = {kind: (await world.ledger.latest_reviews((entry.id,), kind)).get(entry.id) for kind in _KINDS}
    return {kind: review.again_at for kind, review in latest.items() if review}
