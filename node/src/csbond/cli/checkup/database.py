"""The ledger's file: read, never written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from csbond.cli.checkup.finding import Finding
from csbond.cli.checkup.writing import hindrance
from csbond.config.home import Home
from csbond.config.settings import Settings
from csbond.config.settings_rules import database_file
from csbond.protocol.errors import CsbError

_SHOWN = 5
"""Faults that are shown: who has more restores a backup whatever the rest is."""

_BESIDE = ("-wal", "-shm", ".lock")
"""Ends of the names of files that stand beside the ledger's."""


def check_database(home: Home, settings: Settings) -> Iterator[Finding]:
    """Whether a start could use the file, and its rows, indexes and chain of audit records are whole."""
    path = database_file(settings.node.database, home.path)
    if found := _unusable(path):
        yield Finding("database", "fault", found, "check the disk, and the rights of the directory and its files")
        return
    if not path.exists():
        yield Finding("database", "ok", f"{path} is made by the first start")
        return
    import apsw

    try:
        faults = _faults(path, home.identity.did)
    except CsbError as fault:
        yield Finding("database", "fault", fault.reason, fault.next_step)
        return
    except apsw.Error as fault:
        yield Finding("database", "fault", f"{path} holds no ledger this program knows: {fault}", "name another file")
        return
    if faults is None:
        yield Finding("database", "ok", f"{path} is brought to this program's schema by the next start")
        return
    for sentence in faults[:_SHOWN]:
        yield Finding("database", "fault", sentence, "stop the node, keep the file, and restore a backup")
    if not faults:
        yield Finding("database", "ok", f"{path} is whole, {path.stat().st_size // 1024} KB")


def _unusable(path: Path) -> str:
    """Why no node could open or make the file, or those beside it; links are followed, as a start does."""
    try:
        path.stat()
    except FileNotFoundError:
        pass  # a start makes it
    except OSError as fault:  # a link to itself, too: `resolve` says so in some versions of Python only
        return f"{path} leads nowhere: {fault.strerror}"
    place = path.resolve()
    return hindrance(place.parent, [place, *(place.with_name(place.name + end) for end in _BESIDE)])


def _faults(path: Path, did: str) -> list[str] | None:
    """What is wrong in the file; None for one whose tables a start has yet to make."""
    from csbond.store.sqlite.checks import audit_faults, file_faults
    from csbond.store.sqlite.connection import connect
    from csbond.store.sqlite.migrations import needs_migration
    from csbond.store.sqlite.reader import Reader

    connection = connect(path, writes=False)
    try:
        if needs_migration(connection):
            return None
        reader = Reader(connection)
        return file_faults(reader) + audit_faults(reader, did)
    finally:
        connection.close()
