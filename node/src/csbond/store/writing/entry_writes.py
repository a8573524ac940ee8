"""How an entry is inserted or updated: row, version before, tags, words, and what its text is compared by."""

from __future__ import annotations

from typing import Any

from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.named_targets import named_targets
from csbond.protocol.memory.text_key import text_key
from csbond.store.writing.indexed_words import indexed_words
from csbond.store.writing.json_columns import EMPTY, to_json
from csbond.store.writing.writing import Writing


def put_entry(transaction: Writing, entry: MemoryEntry, seq: int) -> None:
    """Insert (version 1) or update an entry: `already_exists`, `version_conflict`."""
    bindings = _bindings(entry, seq)
    if entry.version == 1:
        _insert(transaction, entry, bindings)
    else:
        _update(transaction, entry, bindings)


def _insert(transaction: Writing, entry: MemoryEntry, bindings: dict[str, Any]) -> None:
    row = transaction.insert("insert_entry", bindings | _first_bindings(entry))
    if row is None:
        raise Refused("already_exists", f"there is a memory {entry.id} already", field="id")
    _tag(transaction, row, bindings["tags"])
    _note_names(transaction, row, entry)
    _index(transaction, row, entry)


def _update(transaction: Writing, entry: MemoryEntry, bindings: dict[str, Any]) -> None:
    read = {"id": entry.id, "version": entry.version, "read_seq": entry.seq, "seq": bindings["seq"]}
    kept = transaction.run("keep_version", read)
    if not kept:
        raise Refused(
            "version_conflict",
            f"the memory {entry.id} is not at version {entry.version - 1}, or lost what it said of another one",
            next_step="read it again and make the edit on what it says now",
        )
    row, tags, content, deleted_at = kept[0]
    if entry.linked:
        transaction.run("note_names_of_version", {"row": row, "version": entry.version})
    transaction.run("update_entry", bindings | {"row": row})
    _note_names(transaction, row, entry)
    if content != entry.content:
        transaction.run("note_text", {"row": row, "text_key": _text_key(entry), "seq": bindings["seq"]})
    if tags != bindings["tags"]:
        transaction.run("untag_entry", {"row": row, "tags": tags})
        _tag(transaction, row, bindings["tags"])
    if bool(deleted_at) is not bool(entry.deleted_at):
        transaction.index_words("deleted" if deleted_at else "entry", row, None)
    elif (tags, content) == (bindings["tags"], entry.content):
        return
    _index(transaction, row, entry)


def _index(transaction: Writing, row: int, entry: MemoryEntry) -> None:
    words = indexed_words(entry.content, *entry.tags)
    transaction.index_words("deleted" if entry.deleted_at else "entry", row, words)


def _text_key(entry: MemoryEntry) -> bytes:
    """A piece of a longer text is compared with nothing."""
    return b"" if entry.extends or entry.piece else text_key(entry.content)


def _tag(transaction: Writing, row: int, tags: str) -> None:
    if tags != "[]":
        transaction.run("tag_entry", {"row": row, "tags": tags})


def _note_names(transaction: Writing, row: int, entry: MemoryEntry) -> None:
    ids = named_targets(entry.extra)
    if ids:
        transaction.run("note_names", {"row": row, "ids": to_json(sorted(ids))})


def _first_bindings(entry: MemoryEntry) -> dict[str, Any]:
    """What no later version of it changes."""
    return {
        "kept_at": entry.kept_at,
        "text_key": _text_key(entry),
        "used_at": entry.used_at,
        "recent": entry.recent,
        "found_at": entry.found_at,
    }


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
        "project": entry.project,
        "deleted_by": entry.deleted_by,
        "deleter": entry.deleter,
        "moved_at": entry.moved_at,
    }
