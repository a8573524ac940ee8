"""The file with all that works on it: the writer, a reader on the event loop, and readers in threads of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import apsw

from csbond.flows.ports import Signer
from csbond.store.sqlite.connection import connect
from csbond.store.sqlite.faults import closed, translated
from csbond.store.sqlite.file_rewrite import log_folded, overwrite_deleted, rewritten
from csbond.store.sqlite.held_file import HeldFile, hold_file
from csbond.store.sqlite.migrations import migrate
from csbond.store.sqlite.reader import Reader
from csbond.store.sqlite.transaction import Transaction
from csbond.store.sqlite.writer import Writer

SCAN_THREADS = 2
"""Scans that run side by side: more would only fight for the processor."""
INLINE_ROWS = 10_000
"""Up to this many rows a scan takes 1 to 3 ms; a thread would wait longer than that for a busy event loop."""

Found = TypeVar("Found")
Arguments = ParamSpec("Arguments")


class Database:
    """One open ledger file; belongs to the event loop it was opened on."""

    def __init__(
        self, path: Path, connection: apsw.Connection, signer: Signer, agent_name: str, held: HeldFile
    ) -> None:
        self.path = path
        self.transaction = Transaction(connection, signer, agent_name)
        self.writer = Writer(self.transaction)
        self._connection = connection
        self._reader = Reader(connect(path, writes=False))
        self._scans = ThreadPoolExecutor(SCAN_THREADS, thread_name_prefix="csbond-scan")
        self._of_thread = threading.local()
        self._scan_readers: list[Reader] = []
        self._held = held
        self._closed = False

    @classmethod
    async def open(cls, path: Path, signer: Signer, agent_name: str) -> Database:
        """Open or make the file and bring its schema up to date; `home_busy`, `storage_unavailable`."""
        held = hold_file(path)
        try:
            return cls(path, await asyncio.to_thread(_prepared, path), signer, agent_name, held)
        except BaseException:
            held.release()
            raise

    @property
    def reader(self) -> Reader:
        """For what takes microseconds: a hop to a thread and back costs more than the read."""
        if self._closed:
            raise closed()
        return self._reader

    async def scan(
        self,
        table: str,
        read: Callable[Concatenate[Reader, Arguments], Found],
        *arguments: Arguments.args,
        **names: Arguments.kwargs,
    ) -> Found:
        """What `read(reader, …)` returns: at once while the table is small, else from a thread."""
        if self.reader.rows(f"last_{table}")[0][0] <= INLINE_ROWS:
            return read(self._reader, *arguments, **names)
        return await self.scan_long(read, *arguments, **names)

    async def scan_long(
        self,
        read: Callable[Concatenate[Reader, Arguments], Found],
        *arguments: Arguments.args,
        **names: Arguments.kwargs,
    ) -> Found:
        """What `read(reader, …)` returns, from a thread."""
        if self._closed:
            raise closed()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._scans, lambda: read(self._reader_of_thread(), *arguments, **names))

    async def inspect(self, read: Callable[[Reader], Found]) -> Found:
        """What `read(reader)` finds in one unmoving state of the file, through a connection made for it.

        The full text index's own check trusts what its connection remembers of an earlier state, and calls that damage.
        """
        if self._closed:
            raise closed()
        return await asyncio.to_thread(self._inspected, read)

    def _inspected(self, read: Callable[[Reader], Found]) -> Found:
        reader = Reader(connect(self.path, writes=False))
        try:
            reader.rows("begin_reading")
            return read(reader)
        finally:
            reader.close()

    def files(self) -> list[Path]:
        """The file and, while it is there, its log."""
        log = self.path.with_name(f"{self.path.name}-wal")
        return [path for path in (self.path, log) if path.exists()]

    async def fold_log(self) -> bool:
        """Move all of the log into the file and cut it to nothing; False while somebody reads an earlier state."""
        return bool(await self.writer.do_alone(partial(log_folded, self._connection)))

    async def rewrite(self) -> bool:
        """Write the file anew, beside the event loop; who writes waits for it. False where it cannot be done now."""
        return bool(await self.writer.do_alone(partial(rewritten, self._connection)))

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
        self._held.release()

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
        overwrite_deleted(connection)
    except Exception as fault:
        connection.close()
        raise translated(fault) from fault
    return connection
