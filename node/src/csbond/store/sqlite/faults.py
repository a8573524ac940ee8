"""What SQLite complains about, in the words of the node: the disk, the file, or this program."""

from __future__ import annotations

import apsw

from csbond.protocol.errors import LocalProtocolError, RemoteProtocolError, Unavailable

_FILE = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.ConnectionClosedError,
    apsw.CorruptError,
    apsw.IOError,
    apsw.InterruptError,
    apsw.LockedError,
    apsw.NoLFSError,
    apsw.NotADBError,
    apsw.PermissionsError,
    apsw.ProtocolError,
    apsw.ReadOnlyError,
)
_NOT_A_VALUE = (UnicodeEncodeError, OverflowError)
"""What a binding raises when SQLite cannot say it: half a surrogate pair, an integer beyond 64 bits."""


def translated(fault: Exception) -> Exception:
    """The error of the registry for a fault of the database; any other fault as it is."""
    if isinstance(fault, apsw.FullError):
        return Unavailable(
            "storage_full",
            "the disk of the database is full; nothing was written",
            next_step="make room on the disk, then try again",
        )
    if isinstance(fault, _FILE):
        return Unavailable(
            "storage_unavailable",
            f"the database cannot be used: {fault}",
            next_step="check the disk, the rights of the file, and that no other program holds it",
        )
    if isinstance(fault, apsw.ConstraintError):
        return LocalProtocolError("internal_error", f"the rows do not fit together: {fault}")
    if isinstance(fault, (apsw.TooBigError, *_NOT_A_VALUE)):
        return RemoteProtocolError("invalid_params", f"a value cannot be stored: {fault}")
    return fault


def closed() -> Unavailable:
    """The error of whoever comes after the ledger was closed."""
    return Unavailable("storage_unavailable", "the ledger is closed", next_step="start the node again")
