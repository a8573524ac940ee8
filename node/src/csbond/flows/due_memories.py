"""What is due is read page by page, in the order of an index, while others have their turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.memory.entry import Level, MemoryEntry

PAGE = 200
"""Memories that are read together."""
EVER = 2**62
"""A time after all others: what moved just now is told too, and counts for a cap, though it does not move again."""
Ask = Callable[[MemoryEntry | None], Awaitable[tuple[MemoryEntry, ...]]]
"""Asks for what comes after an entry."""


async def each_due(ask: Ask) -> AsyncIterator[MemoryEntry]:
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


def by_use(world: World, level: Level, *, used_until: int | None = None, project: str | None = None) -> Ask:
    """Asks for the memories of a tier, those used least recently first."""
    return lambda after: world.ledger.least_used(
        HOME_SPACE, level, EVER, PAGE, after, used_until=used_until, project=project
    )
