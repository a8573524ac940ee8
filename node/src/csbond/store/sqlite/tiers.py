"""What tending asks of the database: memories that are due for something, by index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice, product
from typing import Any

from csbond.protocol.memory.entry import ENTRY_TYPES, SOURCES, EntryType, Level, MemoryEntry
from csbond.protocol.memory.forgetting import Match
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.pages import LATEST
from csbond.store.writing.rows import entry_of
from csbond.store.writing.writing import Row

_EARLIEST = -(2**63)
"""A time before all others."""
Kind = tuple[Level, EntryType, str]
"""Tier, type and source: what the index of kinds begins with."""


class TierReads:
    """The side of the ledger that tells what is due."""

    _database: Database

    async def due_for_clearing(
        self, space: str, deleted_until: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Memories that were softly deleted at a time or before, the earliest first."""
        place = _after(after, lambda entry: entry.deleted_at)
        return await self._batch("due_for_clearing", limit, space=space, deleted_until=deleted_until, **place)

    async def outlived(
        self, space: str, level: Level, now: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Living memories of a tier whose own time to live has passed, the earliest first."""
        place = _after(after, lambda entry: entry.timestamp + entry.ttl)
        return await self._batch("outlived", limit, space=space, level=level.value, now=now, **place)

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
        return await self._batch(
            "least_used" if project is None or level is not Level.WARM else "least_used_of_project",
            limit,
            space=space,
            level=level.value,
            now=now,
            used_until=LATEST if used_until is None else used_until,
            project=project,
            **_after(after, lambda entry: entry.used_at),
        )

    async def often_used(
        self, space: str, used_since: int, now: int, limit: int, after: MemoryEntry | None = None, *, uses: int = 0
    ) -> tuple[MemoryEntry, ...]:
        """Living warm memories that were used at a time or later, by latest use, then by id."""
        place = _after(after, lambda entry: entry.used_at, used_since)
        if not uses:
            return await self._batch("often_used", limit, space=space, now=now, **place)
        return await self._batch("often_used_of_late", limit, space=space, now=now, uses=uses, **place)

    async def found_cold(
        self, space: str, now: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Living cold memories that a search by meaning found, by id."""
        return await self._batch("found_cold", limit, space=space, now=now, after_id=after.id if after else "")

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
        bindings = {"space": space, "until": now - (match.age_ms or 0) if match.age_ms is not None else LATEST}
        if match.tags:
            bindings |= {
                "tag": match.tags[0],
                "tags": to_json(match.tags),
                "type": match.type,
                "source": match.source,
                "above_cold": above_cold,
                "after_id": after.id if after else "",
            }
            return await self._batch("rule_matches_of_tag", limit, **bindings)
        read = partial(_of_kinds, bindings=bindings, kinds=_kinds(match, above_cold), limit=limit, after=after)
        return tuple(map(entry_of, await self._database.scan("entry", read)))

    async def tier_size(self, space: str, level: Level) -> int:
        """How many living memories are in a tier."""
        bindings = {"space": space, "level": level.value}
        found: int = (await self._rows("tier_size", bindings))[0][0]
        return found

    async def crowded_projects(self, space: str, cap: int) -> tuple[tuple[str, int], ...]:
        """The projects with more than so many living warm memories, by name, with how many they have."""
        rows = await self._rows("crowded_projects", {"space": space, "cap": cap})
        return tuple((project, count) for project, count in rows)

    async def _batch(self, name: str, limit: int, **bindings: Any) -> tuple[MemoryEntry, ...]:
        return tuple(map(entry_of, await self._rows(name, {**bindings, "limit": max(0, limit)})))

    async def _rows(self, name: str, bindings: Mapping[str, Any]) -> list[Row]:
        return await self._database.scan("entry", lambda reader: reader.rows(name, bindings))


def _after(entry: MemoryEntry | None, place: Callable[[MemoryEntry], int], begins: int = _EARLIEST) -> dict[str, Any]:
    """After which place a batch begins; ids are never empty."""
    return {"after_at": place(entry), "after_id": entry.id} if entry else {"after_at": begins, "after_id": ""}


def _kinds(match: Match, above_cold: bool) -> list[Kind]:
    """All kinds that the match lets in, in the order in which they are looked through."""
    levels = [level for level in Level if not (above_cold and level is Level.COLD)]
    return list(
        product(
            levels,
            ENTRY_TYPES if match.type is None else (match.type,),
            (match.source,) if match.source else SOURCES,
        )
    )


def _of_kinds(
    reader: Reader, *, bindings: Mapping[str, Any], kinds: list[Kind], limit: int, after: MemoryEntry | None
) -> list[Row]:
    return list(islice(_each_kind(reader, bindings, kinds, limit, after), max(0, limit)))


def _each_kind(
    reader: Reader, bindings: Mapping[str, Any], kinds: list[Kind], limit: int, after: MemoryEntry | None
) -> Iterator[Row]:
    """The rows kind by kind: each is one look into the index, and one where the batch is full ends it."""
    begun = kinds.index((after.level, after.type, after.source)) if after else 0
    for place, (level, type_, source) in enumerate(kinds[begun:]):
        goes_on = _after(after if place == 0 else None, lambda entry: entry.timestamp)
        kind = {"level": level.value, "type": type_, "source": source, "limit": max(0, limit)}
        yield from reader.rows("rule_matches_of_kind", {**bindings, **kind, **goes_on})
