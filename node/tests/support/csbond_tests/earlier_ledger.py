"""A ledger as an earlier program left it, for the tests of an upgrade."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw

from csbond.protocol.memory.entry import MemoryEntry
from csbond.store.sqlite import open_ledger
from csbond.store.sqlite.ledger import SqliteLedger
from csbond.store.sqlite.migrations import migrate, migrations
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import NOW, everything

__all__ = ["WrittenBefore", "entries", "to"]

INSERT = """
INSERT INTO entry (id, space, seq, version, type, content, tags, timestamp, source, level, visibility, caller_key,
                   thread_id, message_id, speaker, last_accessed, access_count, ttl, extends, piece, deleted_at, extra)
VALUES (:id, 'home', :seq, 1, 'event', 'The river was cold.', '[]', :timestamp, 'user', 'hot', 'private', 'owner',
        :thread_id, '', '', 5, 2, 0, '', 0, :deleted_at, :extra)
"""
KEEP = """
INSERT INTO entry_version
SELECT row, version, seq, type, content, tags, timestamp, source, level, visibility, caller_key, thread_id,
       message_id, speaker, last_accessed, access_count, ttl, extends, piece, deleted_at, extra
FROM entry WHERE id = :id
"""


class WrittenBefore:
    """A database of schema 1, written entry by entry."""

    def __init__(self, path: Path) -> None:
        self.path, self._seq = path, 0
        self.connection = apsw.Connection(str(path))
        migrate(self.connection, migrations()[:1])
        self.connection.execute("INSERT INTO space VALUES ('home', 1000)")

    def entry(self, id_: str, thread_id: str = "", deleted_at: int = 0, **extra: Any) -> None:
        """Write an entry with what its client said beside the known fields."""
        self._seq += 1
        text = json.dumps(extra, ensure_ascii=False, separators=(",", ":"))
        facts: dict[str, Any] = {"thread_id": thread_id, "deleted_at": deleted_at, "extra": text}
        self.connection.execute(INSERT, {"id": id_, "seq": self._seq, "timestamp": NOW + self._seq, **facts})
        if not deleted_at:
            row = self.connection.last_insert_rowid()
            self.connection.execute("INSERT INTO entry_words (rowid, words) VALUES (?, 'the river was cold')", (row,))

    def next_version(self, id_: str, **extra: Any) -> None:
        """Keep what an entry was, and patch what it says."""
        self.connection.execute(KEEP, {"id": id_})
        self.connection.execute(
            "UPDATE entry SET version = 2, extra = json_patch(extra, ?) WHERE id = ?", (json.dumps(extra), id_)
        )

    async def opened(self) -> SqliteLedger:
        """Open the ledger as today's program does."""
        self.connection.close()
        return await open_ledger(self.path, FixedSigner(), "Luna")


def to(target_id: Any, relation: Any = "causes", **fields: Any) -> dict[str, Any]:
    """Return a link as a client says it."""
    return {"target_id": target_id, "relation": relation, **fields}


async def entries(written: WrittenBefore) -> dict[str, MemoryEntry]:
    """Return what the ledger holds after the upgrade, by id."""
    ledger = await written.opened()
    found = {entry.id: entry for entry in (await ledger.entries(everything(include_deleted=True))).rows}
    assert await ledger.check() == []
    await ledger.close()
    return found
