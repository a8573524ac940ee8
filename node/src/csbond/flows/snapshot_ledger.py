"""What the ledger answers about snapshots: those that were made here, and the log of those that were loaded."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from csbond.protocol.memory.snapshot import SnapshotEntry, SnapshotHead, SnapshotLoad
from csbond.protocol.messages.listing import Page


class SnapshotLedger(Protocol):
    """The side of snapshots."""

    async def snapshots(self, space: str, before: tuple[int, str] | None, limit: int) -> Page[SnapshotHead]:
        """A page of the heads of snapshots as they were made, the latest first; `before` is a (created, id)."""
        ...

    async def snapshot_head(self, snapshot_id: str) -> SnapshotHead | None:
        """The head of a snapshot as it was made."""
        ...

    async def snapshot_members(self, snapshot_id: str, after_id: str, limit: int) -> tuple[SnapshotEntry, ...]:
        """The memories of a snapshot after an id, by id, each as it was then.

        What was deleted since is not among them, and their links do not lead to it.
        """
        ...

    async def snapshot_vectors(self, space: str, model_id: str, ids: Collection[str]) -> dict[str, bytes]:
        """The vectors that a model made of what these memories say now."""
        ...

    async def snapshot_loads(self, before: tuple[int, str] | None, limit: int) -> Page[SnapshotLoad]:
        """A page of the log of loads, the latest first; `before` is the (loaded_at, id) of a last row."""
        ...
