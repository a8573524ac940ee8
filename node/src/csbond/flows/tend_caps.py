"""Tiers that hold more than their caps: what was used least recently goes (MEM-001 §1.1, MEM-005 §5.1)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable

from csbond.flows.due_memories import EVER, PAGE, by_use, each_due
from csbond.flows.tend_step import Tending, of_whole_text
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.eviction import Move, moved
from csbond.protocol.memory.lifetime import next_down
from csbond.protocol.memory.promotion import promotes, rising_since, rising_uses
from csbond.protocol.memory.review import kind_of, may_ask, needs_review
from csbond.protocol.memory.tier_caps import eviction_order, stays
from csbond.protocol.memory.whole_text import as_one


async def hot_cap(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Hot keeps the latest used of what is in it and of what has earned a place: as `tier_caps.over_cap` has it."""
    asking = await _candidates(world, tending)
    coming = {move.entry.id: move for move in asking}
    size = await world.ledger.tier_size(HOME_SPACE, Level.HOT) + sum(_gains(tending, Level.HOT).values())
    beyond = size + len(asking) - world.tiers.hot_cap
    ordered = _merged([move.entry for move in asking], _standing(world, tending, Level.HOT))
    async for move in _beyond(world, tending, ordered, beyond, Level.HOT):
        if move.entry.level is not Level.HOT:
            del coming[move.entry.id]
        elif tending.is_free(move.entry):
            yield move
    for move in coming.values():
        yield move


async def warm_cap(world: World, tending: Tending) -> AsyncIterator[Move]:
    """Of a project with more warm memories than its cap, the least recently used sink."""
    for project, beyond in await _crowded(world, tending):
        ordered = _standing(world, tending, Level.WARM, project)
        async for move in _beyond(world, tending, ordered, beyond, Level.WARM):
            if tending.is_free(move.entry):
                yield move


async def _beyond(
    world: World, tending: Tending, ordered: AsyncIterator[MemoryEntry], beyond: int, level: Level
) -> AsyncIterator[Move]:
    """The first so many that do not stay in the tier, or come into it, and those about which a person is asked.

    What is pinned stays, and so does what waits for a person or was declined: others go in its place. Nobody is asked
    about more than are beyond.
    """
    questions = beyond
    async for entry in ordered:
        if beyond <= 0:
            break
        move = Move(entry, next_down(entry.level), "lru", step=f"{level}_cap")
        if entry.level is not level:
            yield move  # it does not come in
        else:
            move = await of_whole_text(world, move)
            if stays(as_one((entry, *move.pieces)), world.tiers):
                continue
            if tending.is_free(entry) and needs_review(move, world.tiers, tending.forgetting):
                waits, may_be_asked = await _asked_before(world, tending, move)
                if may_be_asked and questions > 0:
                    yield move
                questions -= waits or may_be_asked
                continue
            if entry.id in tending.waiting:
                questions -= 1
                continue
            yield move
        beyond -= 1


async def _asked_before(world: World, tending: Tending, move: Move) -> tuple[bool, bool]:
    """Whether a question about the move waits, and whether one may be asked."""
    known = (await world.ledger.latest_reviews((move.entry.id,), kind_of(move))).get(move.entry.id)
    may_be_asked = may_ask(known, tending.now, move.entry)
    return known is not None and not known.decided_at and not may_be_asked, may_be_asked


async def _candidates(world: World, tending: Tending) -> deque[Move]:
    """The rise of the warm memories that have earned a place in hot, the latest used as many as hot can hold."""
    asking = deque[Move](maxlen=world.tiers.hot_cap)
    since, uses = rising_since(tending.now, world.tiers), rising_uses(world.tiers)
    async for entry in each_due(lambda after: world.ledger.often_used(HOME_SPACE, since, EVER, PAGE, after, uses=uses)):
        if tending.is_free(entry) and promotes(entry, tending.now, world.tiers):
            move = await of_whole_text(world, Move(entry, Level.HOT, "system", step="hot_cap"))
            if promotes(as_one((entry, *move.pieces)), tending.now, world.tiers):
                asking.append(move)
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
    kept = each_due(by_use(world, level, project=project))
    there = (entry async for entry in kept if entry.id not in tending.planned)
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
