"""The `Ledger` port in memory: the same answers as the database, and nothing left when it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from csbond.flows.changes import AppendChunk, Change, SaveTask
from csbond.flows.ports import Committed, PrincipalRow, Signer, StoredVector
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.messages.caller import Caller, CallerKind
from csbond.testing.entry_reads import EntryReads
from csbond.testing.exchange_rows import ExchangeReads
from csbond.testing.forgotten_reads import ForgottenReads
from csbond.testing.memory_rows import KeptRecord
from csbond.testing.network_reads import NetworkReads
from csbond.testing.ports import FixedSigner
from csbond.testing.row_writes import apply_change
from csbond.testing.snapshot_rows import SnapshotReads
from csbond.testing.task_reads import TaskReads
from csbond.testing.thread_reads import ThreadReads
from csbond.testing.tier_reads import TierReads
from csbond.testing.vector_reads import VectorReads


class InMemoryLedger(
    TaskReads,
    ThreadReads,
    EntryReads,
    TierReads,
    ForgottenReads,
    NetworkReads,
    SnapshotReads,
    ExchangeReads,
    VectorReads,
):
    """For tests of stories and skills. Words are found as they are written: there is no stemming."""

    def __init__(self, signer: Signer | None = None, agent_name: str = "agent") -> None:
        super().__init__()
        self._signer = signer or FixedSigner()
        self._agent_name = agent_name
        self._owed: dict[str, Exception] = {}
        self._faults: list[Exception] = []

    # for tests only

    def fail_next(self, fault: Exception) -> None:
        """Let the next change fail with a fault, as a full disk would make it."""
        self._faults.append(fault)

    @property
    def records(self) -> Sequence[KeptRecord]:
        """The audit records, in order."""
        return tuple(self._rows.records.values())

    def versions(self, entry_id: str) -> Sequence[MemoryEntry]:
        """What an entry was before, oldest first."""
        return tuple(entry for (id_, _), entry in sorted(self._rows.versions.items(), key=_first) if id_ == entry_id)

    # writing

    async def commit(self, change: Change) -> Committed:
        """Write a change whole, or raise and write nothing."""
        task_ids = _task_ids(change)
        owed = next((self._owed[task_id] for task_id in task_ids if task_id in self._owed), None)
        for task_id in task_ids:
            self._owed.pop(task_id, None)
        if owed:
            raise owed
        committed = Committed(self._apply(change))
        await asyncio.sleep(0)
        return committed

    async def commit_soon(self, change: Change) -> asyncio.Future[int]:
        """Write a change; its failure is told by the future and at the next `commit` of the same task."""
        written: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        try:
            written.set_result(self._apply(change))
        except Exception as fault:
            if self._closed:
                raise
            self._owed.update(dict.fromkeys(_task_ids(change), fault))
            written.set_exception(fault)
        return written

    async def append_chunk_soon(self, change: Change) -> None:
        """Write a chunk; its failure surfaces at the next `commit` of the same task."""
        if not self._owed.keys() & _task_ids(change):
            (await self.commit_soon(change)).exception()

    async def save_vectors(
        self, space: str, model_id: str, vectors: Sequence[StoredVector], through: int, gone: Sequence[str] = ()
    ) -> None:
        """Keep vectors, drop those of the entries that are named as gone, and keep how far the Space is indexed."""
        rows = self._open()
        for vector in vectors:
            if vector.entry_id in rows.entries:
                rows.vectors[vector.space, model_id, vector.entry_id] = vector
        for entry_id in gone:
            rows.vectors.pop((space, model_id, entry_id), None)
        rows.through[space, model_id] = through

    async def drop_vectors(self, space: str, model_id: str, limit: int) -> bool:
        """Drop vectors of a model; True while there are more."""
        rows = self._open()
        made = [key for key in rows.vectors if key[:2] == (space, model_id)]
        for key in made[: max(0, limit)]:
            del rows.vectors[key]
        if len(made) > limit:
            rows.through[space, model_id] = -1
            return True
        rows.through.pop((space, model_id), None)
        return False

    async def close(self) -> None:
        """Answer nothing any more."""
        self._closed = True

    def _apply(self, change: Change) -> int:
        rows = self._open()
        if self._faults:
            raise self._faults.pop(0)
        return apply_change(rows, change, self._signer, self._agent_name)

    # what there is

    async def counts(self) -> dict[str, int]:
        """How many tasks, threads, messages, entries, deliveries and audit records there are."""
        rows = self._open()
        return {
            "tasks": sum(not task.hidden for task in rows.tasks.values()),
            "threads": len(rows.threads),
            "messages": len(rows.messages),
            "entries": sum(not entry.deleted_at for entry in rows.entries.values()),
            "deliveries": len(rows.deliveries),
            "audit": len(rows.records),
        }

    # principals

    async def principal_by_digest(self, token_digest: str) -> Caller | None:
        """The principal whose token has this digest."""
        for row in self._open().principals.values():
            if row.token_digest == token_digest:
                return Caller(CallerKind.PRINCIPAL, row.name, row.role, frozenset(row.spaces))
        return None

    async def principals(self) -> tuple[PrincipalRow, ...]:
        """All named principals, by name."""
        rows = sorted(self._open().principals.values(), key=lambda row: row.name)
        return tuple(
            PrincipalRow(Caller(CallerKind.PRINCIPAL, row.name, row.role, frozenset(row.spaces)), row.created_at)
            for row in rows
        )

    # jobs

    async def jobs_ran(self) -> dict[str, int]:
        """When each job of the schedule last began to run, by its name."""
        return dict(self._open().jobs)

    async def look_after(self) -> None:
        """There is nothing to look after."""
        self._open()


def _task_ids(change: Change) -> set[str]:
    return {
        write.task.id if isinstance(write, SaveTask) else write.task_id
        for write in change.writes
        if isinstance(write, SaveTask | AppendChunk)
    }


def _first(item: tuple[tuple[str, int], Any]) -> tuple[str, int]:
    return item[0]
