"""The file written anew: of what was deleted nothing is left in it then.

`secure_delete` overwrites rows where they are. It does not reach the copies that stay in the gaps of pages when SQLite
moves rows from page to page, nor what programs deleted that did not ask for it.
"""

from __future__ import annotations

import apsw

from csbond.store.sqlite.connection import BUSY_TIMEOUT_MS
from csbond.store.sqlite.statements import statements

_NOT_NOW = (apsw.FullError, apsw.BusyError, apsw.IOError, apsw.CantOpenError)
"""No room for a copy of the database, where it is or where temporary files are; or another process writes."""


def rewritten(connection: apsw.Connection) -> bool:
    """Write all that is there anew, into the log first; False where that cannot be done now, and nothing is changed.

    It takes as much room again as the database has, twice for a moment; it is not part of a transaction.
    """
    connection.set_busy_timeout(0)
    connection.pragma("temp_store", "file")  # the copy is as large as the database
    try:
        connection.execute(statements()["write_anew"])
    except _NOT_NOW:
        return False
    finally:
        connection.pragma("temp_store", "memory")
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return True


def log_folded(connection: apsw.Connection) -> bool:
    """Move all of the log into the file and cut it to nothing; False while somebody reads an earlier state.

    Without waiting for readers: those who write wait for this.
    """
    connection.set_busy_timeout(0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError:
        return False
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return True


def overwrite_deleted(connection: apsw.Connection) -> None:
    """Write the file anew where it still holds what earlier programs deleted without overwriting it.

    Where there is no room for that, or somebody reads the file, it is left to the next time something is erased.
    """
    waits = connection.execute(statements()["erasures_before"]).get
    if waits and rewritten(connection) and log_folded(connection):
        connection.execute(statements()["drop_erasures"], {"through": 0})
