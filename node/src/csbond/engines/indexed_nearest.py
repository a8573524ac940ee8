"""The nearest entries by the index in memory; what its columns do not hold is asked of the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Protocol

from csbond.flows.ports import EntryQuery, VectorIndex
from csbond.protocol.memory.filter import Wanted

COUNT_AT_ONCE = 20_000
"""Vectors that are compared on the event loop: they take a few milliseconds. More are compared in a thread."""


class MatchingIds(Protocol):
    """The part of the ledger that is asked."""

    async def matching_ids(self, query: EntryQuery) -> Collection[str] | None:
        """The ids of living entries a filter admits; None when it admits all of the Space."""
        ...


class IndexedNearest:
    """Compares all but tags, links and words where the vectors are, and looks those up."""

    def __init__(self, index: VectorIndex, ledger: MatchingIds) -> None:
        self._index = index
        self._ledger = ledger

    async def nearest(self, query: EntryQuery, vector: bytes, limit: int) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest that the query admits, best first; what was deleted has no vector."""
        if query.deleted or not self._index.count(query.space):
            return []
        wanted = Wanted(query.filter, query.audience)
        if query.tag or query.link_target or query.text:
            ids = frozenset(await self._ledger.matching_ids(query) or ())
            if not ids:
                return []
            wanted = Wanted(ids=ids)
        if self._index.count(query.space) <= COUNT_AT_ONCE:
            return self._index.search(query.space, vector, limit, wanted)
        return await asyncio.to_thread(self._index.search, query.space, vector, limit, wanted)
