"""Memory is told in numbers: to everybody who may read it of what they may hear, to the owner what else there is."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.memory.rights import may_read
from csbond.protocol.memory.stats import Day, MemoryStats, Upkeep, day_of, growth
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far the vectors follow the memories."""

    semantic: bool
    model: str
    through: int
    space_seq: int
    waiting: int
    failure: str


@dataclass(frozen=True, slots=True)
class OwnersStats:
    """What only the owner is told: it counts what others may not hear."""

    upkeep: Upkeep
    tiers: TierPolicy
    index: IndexState


@dataclass(frozen=True, slots=True)
class StatsShown:
    """Memory in numbers, at a time in milliseconds since 1970."""

    at: int
    stats: MemoryStats
    growth: tuple[Day, ...]
    owners: OwnersStats | None = None


async def show_stats(world: World, caller: Caller, days: int) -> StatsShown:
    """The numbers as they are now, with the growth of so many days.

    1. the caller may read memory (`forbidden`).
    """
    may_read(caller)
    now, audience = world.clock.now(), audience_of(caller)
    since = max(0, day_of(now) - days + 1)
    stats = await world.ledger.memory_stats(HOME_SPACE, audience, since)
    shown = StatsShown(now, stats, growth(stats.kept, now, days))
    if not audience.everything:
        return shown
    upkeep = await world.ledger.upkeep(HOME_SPACE, since, world.tiers.pinned_tags)
    owners = OwnersStats(upkeep, world.tiers, await _index_state(world))
    return StatsShown(shown.at, shown.stats, shown.growth, owners)


async def _index_state(world: World) -> IndexState:
    indexing, embedder = world.signals.indexing, world.embedder
    return IndexState(
        semantic=embedder is not None and not indexing.failure,
        model=embedder.model_id if embedder else "",
        through=indexing.through if embedder else 0,
        space_seq=await world.ledger.space_seq(HOME_SPACE),
        waiting=indexing.waiting if embedder else 0,
        failure=indexing.failure,
    )
