"""The steps of tending, in their order: each asks the ledger for what is due, by index, and says where it is to go.

What a step says is done before it asks for more, so each step sees what those before it did.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType

from csbond.flows.memory_record import memory_record
from csbond.flows.tend_step import Tending
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import commit_memory, purge_writes
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.eviction import Move, Place, has_just_moved, moved
from csbond.protocol.memory.forgetting import Rule, Verdict, verdict
from csbond.protocol.memory.lifetime import next_down, outlived
from csbond.protocol.memory.promotion import promotes, rises_from_cold, rising_since, rising_uses, sinks
from csbond.protocol.memory.tier_caps import eviction_order, stays
from csbond.protocol.memory.whitespace import expired_before

Step = Callable[[World, Tending], AsyncIterator[Move]]

PAGE = 200
"""Memories that are read together."""
_EVER = 2**62
"""A time after all others: what moved just now is told too, and counts for a cap, though it does not move again."""
_Ask = Callable[[MemoryEntry | None], Awaitable[tuple[MemoryEntry, ...]]]


async def clear(world: World, tending: Tending) -> AsyncIterator[Move]:
    """What was softly deleted as long ago as it may be restored is cleared."""
    until = tending.now - world.deletion.restore_ms
    if tending.removes:
        async for entry in _each(lambda after: world.ledger.due_for_clearing(HOME_SPACE, until, PAGE, after)):
            if not has_just_moved(entry, tending.now):  # what was deleted as of this time ahead is not due by it
                yield Move(entry, "erased", "system", step="clear")


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
            async for entry in _each(_matching(world, tending, rule)):
                decided = verdict(tending.forgetting, entry, tending.now) == Verdict(rule.action, rule.name)
                if decided and entry.id not in tending.settled:
                    place: Place = "deleted" if rule.action == "soft_delete" else Level.COLD
                    yield Move(entry, place, "rule", rule.name, "rules")


async def cold_ttl(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Cold memories whose time has passed are deleted, where no rule protects them and cold does not keep for ever."""
    if tending.removes and world.tiers.cold_evicts:
        async for entry in _past(world, tending, Level.COLD, world.tiers.cold_ttl_ms):
            due = tending.is_free(entry) and outlived(entry, tending.now, world.tiers)
            if due and verdict(tending.forgetting, entry, tending.now).action == "ttl_evict":
                yield Move(entry, next_down(entry.level), "ttl", step="cold_ttl")


async def warm_ttl(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Warm memories sink when their time has passed and no rule protects them, and when they were long unused."""
    async for entry in _past(world, tending, Level.WARM, world.tiers.warm_idle_ms):
        over = outlived(entry, tending.now, world.tiers)
        over = over and verdict(tending.forgetting, entry, tending.now).action != "protect"
        if tending.is_free(entry) and (over or sinks(entry, tending.now, world.tiers)):
            yield Move(entry, next_down(entry.level), "ttl", step="warm_ttl")


async def hot_idle(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Hot memories sink when they were long unused."""
    until = tending.now - world.tiers.hot_idle_ms
    async for entry in _each(_by_use(world, Level.HOT, used_until=until)):
        if tending.is_free(entry) and sinks(entry, tending.now, world.tiers):
            yield Move(entry, next_down(entry.level), "system", step="hot_idle")


async def rise(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Cold memories that were found by meaning become warm, where the home lets them."""
    if world.tiers.cold_rises == "found":
        async for entry in _each(lambda after: world.ledger.found_cold(HOME_SPACE, _EVER, PAGE, after)):
            if tending.is_free(entry) and rises_from_cold(entry, entry.found_at, world.tiers):
                yield Move(entry, Level.WARM, "system", step="rise")


async def hot_cap(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Hot keeps the latest used of what is in it and of what has earned a place: as `tier_caps.over_cap` has it."""
    asking = await _candidates(world, tending)
    size = await world.ledger.tier_size(HOME_SPACE, Level.HOT) + sum(_gains(tending, Level.HOT).values())
    beyond = size + len(asking) - world.tiers.hot_cap
    if beyond > 0:
        async for entry in _merged(asking, _standing(world, tending, Level.HOT)):
            if entry.level is not Level.HOT:
                asking.remove(entry)
            elif stays(entry, world.tiers):
                continue
            elif tending.is_free(entry):
                yield Move(entry, next_down(entry.level), "lru", step="hot_cap")
            beyond -= 1
            if not beyond:
                break
    for entry in asking:
        yield Move(entry, Level.HOT, "system", step="hot_cap")


async def warm_cap(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Of a project with more warm memories than its cap, the least recently used sink."""
    for project, beyond in await _crowded(world, tending):
        left = beyond
        async for entry in _standing(world, tending, Level.WARM, project):
            if stays(entry, world.tiers):
                continue
            if tending.is_free(entry):
                yield Move(entry, next_down(entry.level), "lru", step="warm_cap")
            left -= 1
            if not left:
                break


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


async def _candidates(world: World, tending: Tending) -> deque[MemoryEntry]:
    """The warm memories that have earned a place in hot, the latest used as many as hot can hold."""
    asking = deque[MemoryEntry](maxlen=world.tiers.hot_cap)
    since, uses = rising_since(tending.now, world.tiers), rising_uses(world.tiers)
    async for entry in _each(lambda after: world.ledger.often_used(HOME_SPACE, since, _EVER, PAGE, after, uses=uses)):
        if tending.is_free(entry) and promotes(entry, tending.now, world.tiers):
            asking.append(entry)
    return asking


async def _crowded(world: World, tending: Tending) -> list[tuple[str, int]]:
    """The projects beyond their cap in warm, and by how many."""
    gains, cap = _gains(tending, Level.WARM), world.tiers.warm_cap
    at_least = max(0, cap - max(gains.values(), default=0))
    sizes = await world.ledger.crowded_projects(HOME_SPACE, min(cap, at_least))
    return [(project, size + gains[project] - cap) for project, size in sizes if size + gains[project] > cap]


def _gains(tending: Tending, level: Level) -> Counter[str]:
    """By how many memories a dry run has filled a tier so far, project by project."""
    gains = Counter[str]()
    for move in tending.planned.values():
        gains[move.entry.project] += (move.to is level) - (move.entry.level is level and not move.entry.deleted_at)
    return gains


async def _standing(
    world: World, tending: Tending, level: Level, project: str | None = None
) -> AsyncIterator[MemoryEntry]:
    """The memories of a tier in the order of eviction, after what a dry run has planned so far."""
    coming = (
        moved(move, tending.now)
        for move in tending.planned.values()
        if move.to is level and project in (None, move.entry.project)
    )
    there = (entry async for entry in _each(_by_use(world, level, project=project)) if entry.id not in tending.planned)
    async for entry in _merged(eviction_order(coming), there):
        yield entry


async def _merged(some: Iterable[MemoryEntry], others: AsyncIterator[MemoryEntry]) -> AsyncIterator[MemoryEntry]:
    """Both in the order of eviction, in which each of them is."""
    waiting = deque(some)
    async for entry in others:
        while waiting and _place(waiting[0]) < _place(entry):
            yield waiting.popleft()
        yield entry
    for entry in waiting:
        yield entry


def _place(entry: MemoryEntry) -> tuple[int, str]:
    return entry.used_at, entry.id


async def _past(world: World, tending: Tending, level: Level, unused_ms: int) -> AsyncIterator[MemoryEntry]:
    """The memories of a tier whose own time has passed, and those unused for so long; 0: only the former."""
    async for entry in _each(lambda after: world.ledger.outlived(HOME_SPACE, level, tending.now, PAGE, after)):
        yield entry
    if unused_ms:
        async for entry in _each(_by_use(world, level, used_until=tending.now - unused_ms)):
            yield entry


async def _each(ask: _Ask) -> AsyncIterator[MemoryEntry]:
    """What the ledger answers, batch by batch."""
    after: MemoryEntry | None = None
    while True:
        page = await ask(after)
        for entry in page:
            yield entry
        if len(page) < PAGE:
            return
        after = page[-1]
        await asyncio.sleep(0)  # a small ledger answers at once, and others have waited


def _by_use(world: World, level: Level, *, used_until: int | None = None, project: str | None = None) -> _Ask:
    return lambda after: world.ledger.least_used(
        HOME_SPACE, level, _EVER, PAGE, after, used_until=used_until, project=project
    )


def _matching(world: World, tending: Tending, rule: Rule) -> _Ask:
    above_cold = rule.action == "archive"
    return lambda after: world.ledger.rule_matches(
        HOME_SPACE, rule.match, tending.now, PAGE, after, above_cold=above_cold
    )
