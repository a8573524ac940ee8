"""How an entry is inserted or updated: row, version before, tags and words."""

from __future__ import annotations

from typing import Any

from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import MemoryEntry
from csbond.store.writing.indexed_words import indexed_words
from csbond.store.writing.json_columns import EMPTY, to_json
from csbond.store.writing.writing import Writing


def put_entry(transaction: Writing, entry: MemoryEntry, seq: int) -> None:
    """Insert (version 1) or update an entry: `already_exists`, `version_conflict`."""
    bindings = _bindings(entry, seq)
    row = _insert(transaction, bindings) if entry.version == 1 else _update(transaction, bindings)
    words = None if entry.deleted_at else indexed_words(entry.content, *entry.tags)
    transaction.index_words("entry", row, words)


def _insert(transaction: Writing, bindings: dict[str, Any]) -> int:
    row = transaction.insert("insert_entry", bindings)
    if row is None:
        raise Refused("already_exists", f"there is a memory {bindings['id']} already", field="id")
    _tag(transaction, row, bindings["tags"])
    return row


def _update(transaction: Writing, bindings: dict[str, Any]) -> int:
    kept = transaction.run("keep_version", {"id": bindings["id"], "version": bindings["version"]})
    if not kept:
        raise Refused(
            "version_conflict",
            f"the memory {bindings['id']} is not at version {bindings['version'] - 1}",
            next_step="read it again and make the edit on what it says now",
        )
    row, tags = kept[0]
    transaction.run("update_entry", bindings | {"row": row})
    if tags != bindings["tags"]:
        transaction.run("untag_entry", {"row": row, "tags": tags})
        _tag(transaction, row, bindings["tags"])
    return int(row)


def _tag(transaction: Writing, row: int, tags: str) -> None:
    if tags != "[]":
        transaction.run("tag_entry", {"row": row, "tags": tags})


def _bindings(entry: MemoryEntry, seq: int) -> dict[str, Any]:
    return {
        "id": entry.id,
        "space": entry.space,
        "seq": seq,
        "version": entry.version,
        "type": entry.type,
        "content": entry.content,
        "tags": to_json(entry.tags),
        "timestamp": entry.timestamp,
        "source": entry.source,
        "level": entry.level.value,
        "visibility": entry.visibility.value,
        "caller_key": entry.origin.caller_key,
        "thread_id": entry.origin.thread_id,
        "message_id": entry.origin.message_id,
        "speaker": entry.origin.speaker,
        "last_accessed": entry.last_accessed,
        "access_count": entry.access_count,
        "ttl": entry.ttl,
        "extends": entry.extends,
        "piece": entry.piece,
        "deleted_at": entry.deleted_at,
        "extra": to_json(entry.extra) if entry.extra else EMPTY,
    }
