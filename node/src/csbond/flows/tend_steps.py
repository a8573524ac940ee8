"""The steps of tending, in their order: each asks the ledger for what is due, by index, and says where it is to go.

What a step says is done before it asks for more, so each step sees what those before it did.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from types import MappingProxyType

from csbond.flows.due_memories import EVER, PAGE, Ask, by_use, each_due
from csbond.flows.memory_record import memory_record
from csbond.flows.tend_caps import hot_cap, warm_cap
from csbond.flows.tend_step import Tending, of_whole_text
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import commit_memory, purge_writes
from csbond.protocol.memory.deletion import due_for_clearing
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.eviction import Move, Place
from csbond.protocol.memory.forgetting import Rule, Verdict, verdict
from csbond.protocol.memory.lifetime import next_down, outlived
from csbond.protocol.memory.promotion import rises_from_cold, sinks
from csbond.protocol.memory.whitespace import expired_before
from csbond.protocol.memory.whole_text import as_one, strictest_verdict

Step = Callable[[World, Tending], AsyncIterator[Move]]


async def clear(world: World, tending: Tending) -> AsyncIterator[Move]:
    """What was softly deleted as long ago as it may be restored is cleared."""
    until = tending.now - world.deletion.restore_ms
    if tending.removes:
        async for entry in each_due(lambda after: world.ledger.due_for_clearing(HOME_SPACE, until, PAGE, after)):
            move = await of_whole_text(world, Move(entry, "erased", "system", step="clear"))
            if all(_is_cleared(world, tending, piece) for piece in (entry, *move.pieces)):
                yield move


async def purge_archive(world: World, tending: Tending) -> int:
    """Remove the records of cleared memories that were kept as long as they must, by the clock; returns how many."""
    until, purged = expired_before(tending.at, world.whitespace), 0
    last = None
    while tending.removes:
        records = await world.ledger.expired_archive(HOME_SPACE, until, PAGE, last)
        if records and not tending.dry_run:
            details = {"entries": [record.id for record in records], "trigger": "system"}
            at = world.clock.now()
            about = memory_record(world, "purge", records[0].id, tending.intent, at, details)
            await commit_memory(world, purge_writes(records), about)
        purged += len(records)
        if len(records) < PAGE:
            break
        last = records[-1]
    return purged


async def rules(world: World, tending: Tending) -> AsyncIterator[Move]:
    """What the forgetting rules delete or archive: each rule what the ladder of all of them leaves to it."""
    for rule in tending.forgetting.rules if tending.forgetting.enabled else ():
        if rule.action == "archive" or (rule.action == "soft_delete" and tending.removes):
            async for entry in each_due(_matching(world, tending, rule)):
                place: Place = "deleted" if rule.action == "soft_delete" else Level.COLD
                said = Verdict(rule.action, rule.name)
                if entry.id in tending.settled or verdict(tending.forgetting, entry, tending.now) != said:
                    continue
                move = await of_whole_text(world, Move(entry, place, "rule", rule.name, "rules"))
                if strictest_verdict(tending.forgetting, (entry, *move.pieces), tending.now) == said:
                    yield move


async def cold_ttl(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Cold memories whose time has passed are deleted, where no rule protects them and cold does not keep for ever."""
    if tending.removes and world.tiers.cold_evicts:
        async for entry in _past(world, tending, Level.COLD, world.tiers.cold_ttl_ms):
            if tending.is_free(entry) and outlived(entry, tending.now, world.tiers):
                move = await of_whole_text(world, Move(entry, next_down(entry.level), "ttl", step="cold_ttl"))
                if strictest_verdict(tending.forgetting, (entry, *move.pieces), tending.now).action == "ttl_evict":
                    yield move


async def warm_ttl(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Warm memories sink when their time has passed and no rule protects them, and when they were long unused."""
    async for entry in _past(world, tending, Level.WARM, world.tiers.warm_idle_ms):
        over = outlived(entry, tending.now, world.tiers)
        if not tending.is_free(entry) or not (over or sinks(entry, tending.now, world.tiers)):
            continue
        move = await of_whole_text(world, Move(entry, next_down(entry.level), "ttl", step="warm_ttl"))
        text = (entry, *move.pieces)
        over = over and strictest_verdict(tending.forgetting, text, tending.now).action != "protect"
        if over or sinks(as_one(text), tending.now, world.tiers):
            yield move


async def hot_idle(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Hot memories sink when they were long unused."""
    until = tending.now - world.tiers.hot_idle_ms
    async for entry in each_due(by_use(world, Level.HOT, used_until=until)):
        if tending.is_free(entry) and sinks(entry, tending.now, world.tiers):
            move = await of_whole_text(world, Move(entry, next_down(entry.level), "system", step="hot_idle"))
            if sinks(as_one((entry, *move.pieces)), tending.now, world.tiers):
                yield move


async def rise(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Cold memories that were found by meaning become warm, where the home lets them."""
    if world.tiers.cold_rises == "found":
        async for entry in each_due(lambda after: world.ledger.found_cold(HOME_SPACE, EVER, PAGE, after)):
            if tending.is_free(entry) and rises_from_cold(entry, entry.found_at, world.tiers):
                move = await of_whole_text(world, Move(entry, Level.WARM, "system", step="rise"))
                if rises_from_cold(as_one((entry, *move.pieces)), entry.found_at, world.tiers):
                    yield move


STEPS: Mapping[str, Step] = MappingProxyType(
    {
        "clear": clear,
        "rules": rules,
        "cold_ttl": cold_ttl,
        "warm_ttl": warm_ttl,
        "hot_idle": hot_idle,
        "rise": rise,
        "hot_cap": hot_cap,
        "warm_cap": warm_cap,
    }
)
"""The steps that move memories; uses are kept before the first, and the archive is purged after it."""


def _is_cleared(world: World, tending: Tending, entry: MemoryEntry) -> bool:
    """Whether the time in which it could be restored is over: by the clock, for what was deleted as of a time ahead."""
    now = tending.at if entry.moved_at > entry.deleted_at else tending.now
    return due_for_clearing(entry, now, world.deletion)


async def _past(world: World, tending: Tending, level: Level, unused_ms: int) -> AsyncIterator[MemoryEntry]:
    """The memories of a tier whose own time has passed, and those unused for so long; 0: only the former."""
    async for entry in each_due(lambda after: world.ledger.outlived(HOME_SPACE, level, tending.now, PAGE, after)):
        yield entry
    if unused_ms:
        async for entry in each_due(by_use(world, level, used_until=tending.now - unused_ms)):
            yield entry


def _matching(world: World, tending: Tending, rule: Rule) -> Ask:
    above_cold = rule.action == "archive"
    return lambda after: world.ledger.rule_matches(
        HOME_SPACE, rule.match, tending.now, PAGE, after, above_cold=above_cold
    )
