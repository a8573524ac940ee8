"""What tending asks of the in-memory ledger: memories that are due for something, of texts their first pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.forgetting import Match, matches
from csbond.protocol.memory.promotion import TOKEN_LENGTH
from csbond.testing.open_rows import OpenRows

Position = TypeVar("Position", tuple[int, str], tuple[str])


class TierReads(OpenRows):
    """The side of the ledger that tells what is due."""

    async def due_for_clearing(
        self, space: str, deleted_until: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Memories that were softly deleted at a time or before, the earliest first."""
        found = (entry for entry in self._of(space) if 0 < entry.deleted_at <= deleted_until)
        return _batch(found, lambda entry: (entry.deleted_at, entry.id), after, limit)

    async def outlived(
        self, space: str, level: Level, now: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Living memories of a tier whose own time to live has passed, the earliest first."""
        found = (entry for entry in self._in(space, level, now) if entry.ttl > 0 and entry.timestamp + entry.ttl <= now)
        return _batch(found, lambda entry: (entry.timestamp + entry.ttl, entry.id), after, limit)

    async def least_used(
        self,
        space: str,
        level: Level,
        now: int,
        limit: int,
        after: MemoryEntry | None = None,
        *,
        used_until: int | None = None,
        project: str | None = None,
    ) -> tuple[MemoryEntry, ...]:
        """Living memories of a tier in the order in which a cap evicts them: by latest use, then by id."""
        found = (
            entry
            for entry in self._in(space, level, now)
            if (used_until is None or entry.used_at <= used_until) and project in (None, entry.project)
        )
        return _batch(found, _by_use, after, limit)

    async def often_used(
        self, space: str, used_since: int, now: int, limit: int, after: MemoryEntry | None = None, *, uses: int = 0
    ) -> tuple[MemoryEntry, ...]:
        """Living warm memories that were used at a time or later, by latest use, then by id."""
        found = (
            entry
            for entry in self._in(space, Level.WARM, now)
            if entry.used_at >= used_since and len(entry.recent) >= TOKEN_LENGTH * uses
        )
        return _batch(found, _by_use, after, limit)

    async def found_cold(
        self, space: str, now: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Living cold memories that a search by meaning found, by id."""
        found = (entry for entry in self._in(space, Level.COLD, now) if entry.found_at > 0)
        return _batch(found, lambda entry: (entry.id,), after, limit)

    async def rule_matches(
        self,
        space: str,
        match: Match,
        now: int,
        limit: int,
        after: MemoryEntry | None = None,
        *,
        above_cold: bool = False,
    ) -> tuple[MemoryEntry, ...]:
        """Living memories that a rule matches at a time, each once, in an order of the ledger's own."""
        found = (
            entry
            for entry in self._of(space)
            if not entry.deleted_at and matches(match, entry, now) and not (above_cold and entry.level is Level.COLD)
        )
        return _batch(found, lambda entry: (entry.id,), after, limit)

    async def tier_size(self, space: str, level: Level) -> int:
        """How many living memories are in a tier."""
        return sum(entry.level is level and not entry.deleted_at for entry in self._of(space))

    async def crowded_projects(self, space: str, cap: int) -> tuple[tuple[str, int], ...]:
        """The projects with more than so many living warm memories, by name, with how many they have."""
        warm = (entry for entry in self._of(space) if entry.level is Level.WARM and not entry.deleted_at)
        counted = Counter(entry.project for entry in warm)
        return tuple(sorted((project, count) for project, count in counted.items() if count > cap))

    def _of(self, space: str) -> list[MemoryEntry]:
        rows = self._open()
        return [rows.shown(entry) for entry in rows.entries.values() if entry.space == space and not entry.piece]

    def _in(self, space: str, level: Level, now: int) -> list[MemoryEntry]:
        """The living of a tier that did not come into it at this very time."""
        return [
            entry
            for entry in self._of(space)
            if entry.level is level and not entry.deleted_at and entry.moved_at != now
        ]


def _by_use(entry: MemoryEntry) -> tuple[int, str]:
    return entry.used_at, entry.id


def _batch(
    found: Iterable[MemoryEntry], position: Callable[[MemoryEntry], Position], after: MemoryEntry | None, limit: int
) -> tuple[MemoryEntry, ...]:
    ordered = sorted(found, key=position)
    return tuple(entry for entry in ordered if after is None or position(entry) > position(after))[: max(0, limit)]
