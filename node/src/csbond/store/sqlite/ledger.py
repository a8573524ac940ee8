"""The `Ledger` port on SQLite, put together from its sides."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from csbond.flows.changes import Change
from csbond.flows.ports import Committed, Signer
from csbond.store.sqlite.checks import audit_faults, file_faults
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.entries import EntryReads
from csbond.store.sqlite.erasure import Rewrites, erase_traces
from csbond.store.sqlite.exchange import ExchangeReads
from csbond.store.sqlite.forgotten import ForgottenReads
from csbond.store.sqlite.jobs import JobRows
from csbond.store.sqlite.network import NetworkReads
from csbond.store.sqlite.principals import PrincipalReads
from csbond.store.sqlite.snapshots import SnapshotReads
from csbond.store.sqlite.tasks import TaskReads
from csbond.store.sqlite.threads import ThreadReads
from csbond.store.sqlite.tiers import TierReads
from csbond.store.sqlite.transaction import StatementCounts, Transaction
from csbond.store.sqlite.vectors import VectorRows
from csbond.store.writing.indexed_words import indexed_words, texts_to_split
from csbond.store.writing.writes import apply_change, task_ids_of


async def open_ledger(path: Path, signer: Signer, agent_name: str) -> SqliteLedger:
    """The ledger of a file, which is made when it is not there.

    `home_busy` while another process (or another ledger of this one) has the file, `storage_unavailable`.

    It belongs to the running event loop. Its audit records name the agent and are signed by the signer.
    """
    return SqliteLedger(await Database.open(path, signer, agent_name), signer)


class SqliteLedger(
    TaskReads,
    ThreadReads,
    EntryReads,
    TierReads,
    ForgottenReads,
    NetworkReads,
    SnapshotReads,
    ExchangeReads,
    VectorRows,
    PrincipalReads,
    JobRows,
):
    """The one memory of a node, in one SQLite file."""

    def __init__(self, database: Database, signer: Signer) -> None:
        self._database = database
        self._signer = signer
        self._rewrites = Rewrites()

    async def commit(self, change: Change) -> Committed:
        """Write a change whole and durably, or raise and write nothing.

        `version_conflict`, `already_exists`, `storage_full`, `storage_unavailable`.
        """
        await _split_long_texts(change)
        return Committed(await self._database.writer.write(partial(_apply, change), task_ids_of(change)))

    async def commit_soon(self, change: Change) -> asyncio.Future[int]:
        """Queue a change to go with the next group; the future has its place in the order once it is on disk.

        A failure is told there, and at the next `commit` of the same task.
        """
        await _split_long_texts(change)
        return self._database.writer.write_with_next(partial(_apply, change), task_ids_of(change))

    async def append_chunk_soon(self, change: Change) -> None:
        """Queue a change to go with the next group; it returns before it is durable. For stream chunks only.

        A failure surfaces at the next `commit` of the same task.
        """
        await self._database.writer.write_soon(partial(_apply, change), task_ids_of(change))

    async def erase_traces(self, *, at_once: bool = True) -> bool:
        """Make the bytes of all that was erased unreadable in the files; True when none is left."""
        return await erase_traces(self._database, self._rewrites, at_once=at_once)

    async def counts(self) -> dict[str, int]:
        """How many tasks, threads, messages, entries, deliveries and audit records there are."""
        (row,) = await self._database.scan("message", lambda reader: reader.rows("counts"))
        return dict(zip(("tasks", "threads", "messages", "entries", "deliveries", "audit"), row, strict=True))

    async def check(self) -> list[str]:
        """What is wrong with the file, as sentences for the owner; empty when all is well."""
        return await self._database.inspect(file_faults) + await self.verify_audit()

    async def verify_audit(self) -> list[str]:
        """Where the chain of audit records is broken or not signed by this node; empty when it is whole."""
        return await self._database.inspect(partial(audit_faults, did=self._signer.did))

    def statement_counts(self) -> StatementCounts:
        """Begin to count the statements and bytes that are written; what is returned goes on counting."""
        self._database.transaction.counts = StatementCounts()
        return self._database.transaction.counts

    async def close(self) -> None:
        """Finish what is queued and let go of the database."""
        await self._database.close()


async def _split_long_texts(change: Change) -> None:
    """Beside the event loop; their words are remembered for the statements."""
    long_texts = texts_to_split(change)
    if long_texts:
        await asyncio.to_thread(indexed_words, *long_texts)


def _apply(change: Change, transaction: Transaction) -> int:
    return apply_change(transaction, change)
