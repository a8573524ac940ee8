"""Snapshots of the database: their heads, what they hold, and the log of those that were loaded."""

from __future__ import annotations

from collections.abc import Collection

from csbond.protocol.memory.snapshot import SnapshotEntry, SnapshotHead, SnapshotLoad
from csbond.protocol.messages.listing import Page
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.pages import LATEST, page_of
from csbond.store.writing.rows import entry_of, snapshot_head_of, snapshot_load_of


class SnapshotReads:
    """The side of the ledger that tells of snapshots."""

    _database: Database

    async def snapshots(self, space: str, before: tuple[int, str] | None, limit: int) -> Page[SnapshotHead]:
        """A page of the heads of snapshots as they were made, the latest first."""
        before_at, before_id = before or (LATEST, "")
        bindings = {"space": space, "before_at": before_at, "before_id": before_id, "limit": max(0, limit) + 1}
        rows = self._database.reader.rows("snapshots_page", bindings)
        total = self._database.reader.rows("snapshots_total", {"space": space})[0][0]
        return page_of(tuple(map(snapshot_head_of, rows)), limit, total, lambda head: (head.created, head.id))

    async def snapshot_head(self, snapshot_id: str) -> SnapshotHead | None:
        """The head of a snapshot as it was made."""
        row = self._database.reader.row("snapshot_head", {"id": snapshot_id})
        return snapshot_head_of(row) if row else None

    async def snapshot_members(self, snapshot_id: str, after_id: str, limit: int) -> tuple[SnapshotEntry, ...]:
        """The memories of a snapshot after an id, by id, each as it was then and is not deleted."""
        return await self._database.scan_long(_members, snapshot_id, after_id, limit)

    async def snapshot_vectors(self, space: str, model_id: str, ids: Collection[str]) -> dict[str, bytes]:
        """The vectors that a model made of what these memories say now."""
        return await self._database.scan_long(_vectors, space, model_id, ids)

    async def snapshot_loads(self, before: tuple[int, str] | None, limit: int) -> Page[SnapshotLoad]:
        """A page of the log of loads, the latest first."""
        before_at, before_id = before or (LATEST, "")
        bindings = {"before_at": before_at, "before_id": before_id, "limit": max(0, limit) + 1}
        rows = self._database.reader.rows("loads_page", bindings)
        total = self._database.reader.rows("loads_total")[0][0]
        return page_of(tuple(map(snapshot_load_of, rows)), limit, total, lambda load: (load.loaded_at, load.id))


def _members(reader: Reader, snapshot_id: str, after_id: str, limit: int) -> tuple[SnapshotEntry, ...]:
    rows = reader.rows("snapshot_members", {"id": snapshot_id, "after_id": after_id, "limit": max(0, limit)})
    return tuple(SnapshotEntry(entry_of(row[:-1]), row[-1]) for row in rows)


def _vectors(reader: Reader, space: str, model_id: str, ids: Collection[str]) -> dict[str, bytes]:
    bindings = {"space": space, "model_id": model_id, "ids": to_json(list(ids))}
    return dict(reader.rows("snapshot_vectors", bindings))
