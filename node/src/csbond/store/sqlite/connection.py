"""A connection to the database file, with the settings that make it durable and hard to misuse."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from csbond.store.sqlite.faults import translated

BUSY_TIMEOUT_MS = 1_000
"""How long a statement, and the event loop with it, waits for another process that writes; ours take milliseconds."""
CHECKPOINT_PAGES = 4_000
"""Pages in the log (16 MB) before they move into the file: rare enough that the move does not show in the median."""
LOG_BYTES_MAX = 64 * 1024 * 1024
"""What the log is cut back to after a large transaction made it longer."""
CACHE_KIB = 16 * 1024
"""The page cache of one connection at most; it grows only with use."""
STATEMENT_CACHE = 200
"""More than there are statements, so that each is compiled once."""
_OWNER_ONLY = 0o600


def connect(path: Path, *, writes: bool) -> apsw.Connection:
    """A connection that writes (making the file for its owner only) or only reads; `storage_unavailable`."""
    try:
        if writes:
            _keep_to_owner(path)
        connection = apsw.Connection(
            str(path),
            flags=apsw.SQLITE_OPEN_READWRITE,
            statementcachesize=STATEMENT_CACHE,
        )
        _configure(connection, writes)
    except OSError as fault:
        raise translated(apsw.CantOpenError(f"{path}: {fault.strerror}")) from fault
    except apsw.Error as fault:
        raise translated(fault) from fault
    return connection


def _keep_to_owner(path: Path) -> None:
    """SQLite gives its log and index files the rights of the database file."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY)
    try:
        if os.fstat(handle).st_mode & 0o077:
            os.fchmod(handle, _OWNER_ONLY)
    finally:
        os.close(handle)


def _configure(connection: apsw.Connection, writes: bool) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    # Plans may not depend on bound values: a statement that sorts or limits was compiled anew for each of them.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    if writes:
        connection.pragma("journal_mode", "wal")
        connection.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        connection.pragma("journal_size_limit", LOG_BYTES_MAX)
    connection.pragma("synchronous", "full")
    connection.pragma("foreign_keys", True)
    connection.pragma("cell_size_check", True)
    connection.pragma("temp_store", "memory")
    connection.pragma("cache_size", -CACHE_KIB)
    connection.pragma("query_only", not writes)
