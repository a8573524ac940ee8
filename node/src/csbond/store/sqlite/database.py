"""The file with all that works on it: the writer, a reader on the event loop, and readers in threads of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import apsw

from csbond.flows.ports import Signer
from csbond.store.sqlite.connection import connect
from csbond.store.sqlite.faults import closed, translated
from csbond.store.sqlite.migrations import migrate
from csbond.store.sqlite.reader import Reader
from csbond.store.sqlite.transaction import Transaction
from csbond.store.sqlite.writer import Writer

SCAN_THREADS = 2
"""Scans that run side by side: more would only fight for the processor."""

Found = TypeVar("Found")
Arguments = ParamSpec("Arguments")


class Database:
    """One open ledger file; belongs to the event loop it was opened on."""

    def __init__(self, path: Path, connection: apsw.Connection, signer: Signer, agent_name: str) -> None:
        self.path = path
        self.transaction = Transaction(connection, signer, agent_name)
        self.writer = Writer(self.transaction)
        self._connection = connection
        self._reader = Reader(connect(path, writes=False))
        self._scans = ThreadPoolExecutor(SCAN_THREADS, thread_name_prefix="csbond-scan")
        self._of_thread = threading.local()
        self._scan_readers: list[Reader] = []
        self._closed = False

    @classmethod
    async def open(cls, path: Path, signer: Signer, agent_name: str) -> Database:
        """Open or make the file and bring its schema up to date; `storage_unavailable`."""
        connection = await asyncio.to_thread(_prepared, path)
        return cls(path, connection, signer, agent_name)

    @property
    def reader(self) -> Reader:
        """For what takes microseconds: a hop to a thread and back costs more than the read."""
        if self._closed:
            raise closed()
        return self._reader

    async def scan(
        self,
        read: Callable[Concatenate[Reader, Arguments], Found],
        *arguments: Arguments.args,
        **names: Arguments.kwargs,
    ) -> Found:
        """What `read(reader, …)` returns, from a thread: for searches, pages and whatever grows with the ledger."""
        if self._closed:
            raise closed()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._scans, lambda: read(self._reader_of_thread(), *arguments, **names))

    async def close(self) -> None:
        """Finish what is queued and let go of the file; the last to leave folds the log into it."""
        if self._closed:
            return
        self._closed = True
        await self.writer.close()
        self._scans.shutdown(wait=True)
        for reader in (*self._scan_readers, self._reader):
            reader.close()
        self._connection.close()

    def _reader_of_thread(self) -> Reader:
        reader: Reader | None = getattr(self._of_thread, "reader", None)
        if reader is None:
            reader = self._of_thread.reader = Reader(connect(self.path, writes=False))
            self._scan_readers.append(reader)
        return reader


def _prepared(path: Path) -> apsw.Connection:
    connection = connect(path, writes=True)
    try:
        migrate(connection)
    except Exception as fault:
        connection.close()
        raise translated(fault) from fault
    return connection
