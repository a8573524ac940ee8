"""The ledger's file: read, never written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from csbond.cli.checkup.finding import Finding
from csbond.config.home import Home
from csbond.config.settings import Settings
from csbond.config.settings_rules import database_file
from csbond.protocol.errors import CsbError

_SHOWN = 5
"""Faults that are shown: who has more restores a backup whatever the rest is."""


def check_database(home: Home, settings: Settings) -> Iterator[Finding]:
    """Whether the rows, the indexes and the chain of audit records are whole."""
    path = database_file(settings.node.database, home.path)
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
    for sentence in faults[:_SHOWN]:
        yield Finding("database", "fault", sentence, "stop the node, keep the file, and restore a backup")
    if not faults:
        yield Finding("database", "ok", f"{path} is whole, {path.stat().st_size // 1024} KB")


def _faults(path: Path, did: str) -> list[str]:
    from csbond.store.sqlite.checks import audit_faults, file_faults
    from csbond.store.sqlite.connection import connect
    from csbond.store.sqlite.reader import Reader

    reader = Reader(connect(path, writes=False))
    try:
        return file_faults(reader) + audit_faults(reader, did)
    finally:
        reader.close()
