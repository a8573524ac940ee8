"""A ledger on which somebody else is faster."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from csbond.flows.changes import Change
from csbond.flows.ports import Committed, Ledger


class Overtaken:
    """Something is written just before the first change is committed, as another process would."""

    def __init__(self, ledger: Ledger, faster: Callable[[], Awaitable[None]]) -> None:
        self._ledger = ledger
        self._faster: Callable[[], Awaitable[None]] | None = faster

    async def commit(self, change: Change) -> Committed:
        """Let the faster one write first, once."""
        faster, self._faster = self._faster, None
        if faster:
            await faster()
        return await self._ledger.commit(change)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)
