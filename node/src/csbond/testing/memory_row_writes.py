"""What each write of memory does to the rows of the in-memory ledger."""

from __future__ import annotations

from dataclasses import replace

from csbond.flows.memory_changes import PutEntry
from csbond.protocol.errors import Refused
from csbond.protocol.memory.words import index_text
from csbond.testing.memory_rows import Rows, kept_json


def put_entry(rows: Rows, write: PutEntry, seq: int) -> None:
    """Insert an entry, or update it and keep what it was."""
    entry = replace(write.entry, extra=kept_json(write.entry.extra), seq=seq)
    known = rows.entries.get(entry.id)
    if entry.version == 1:
        if known:
            raise Refused("already_exists", f"there is a memory {entry.id} already", field="id")
    elif known is None or known.version != entry.version - 1:
        raise Refused("version_conflict", f"the memory {entry.id} is not at version {entry.version - 1}")
    else:
        rows.put(rows.versions, (entry.id, known.version), known)
        entry = replace(entry, space=known.space)
    rows.put(rows.entries, entry.id, entry)
    if entry.deleted_at:
        rows.drop(rows.entry_words, entry.id)
    else:
        words = index_text("\n".join((entry.content, *entry.tags)))
        rows.put(rows.entry_words, entry.id, tuple(words.split()))
