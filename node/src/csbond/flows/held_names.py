"""Names that one story holds at a time: who comes later with one of them waits, everybody else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class HeldNames:
    """Whoever looks something up and then writes it holds its name, so that its repeat finds it done."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hold(self, names: Iterable[str]) -> AsyncIterator[None]:
        """All of the names, as soon as nobody else holds one of them."""
        # In one order for everybody, so that no two wait for each other.
        locks = [self._locks.setdefault(name, asyncio.Lock()) for name in sorted(set(names))]
        held: list[asyncio.Lock] = []
        try:
            for lock in locks:
                await lock.acquire()
                held.append(lock)
            yield
        finally:
            for lock in held:
                lock.release()
