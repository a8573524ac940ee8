"""What must hold in the file of a ledger at any moment, whatever killed the process that wrote it.

Beside the node's own checks (structure, references, indexes, chain and signatures of the records) these see what was
written by half: each sentence is a part of a transaction without another part.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import apsw

from csbond.store.sqlite.checks import audit_faults, file_faults
from csbond.store.sqlite.connection import connect
from csbond.store.sqlite.reader import Reader

__all__ = ["faults_in", "unfinished_in"]

_NONE_OF_THESE = {
    "the task {} has no message": """
        SELECT id FROM task WHERE id NOT IN (SELECT task_id FROM message)""",
    "the message {} is in no thread": """
        SELECT m.id FROM message m LEFT JOIN thread t ON t.id = m.thread_id AND t.caller_key = m.caller_key
        WHERE t.id IS NULL""",
    "the message {} is in no session": """
        SELECT m.id FROM message m LEFT JOIN session s ON s.id = m.session_id AND s.caller_key = m.caller_key
        WHERE s.id IS NULL""",
    "the message {} belongs to a task that is not there": """
        SELECT id FROM message WHERE task_id <> '' AND task_id NOT IN (SELECT id FROM task)""",
    "the request {} began a task that is not there": """
        SELECT message_id FROM request WHERE task_id NOT IN (
            SELECT id FROM task UNION ALL SELECT id FROM entry
            UNION ALL SELECT body ->> '$.details.memoryId' FROM audit
            WHERE type IN ('memory_erase', 'memory_clear'))""",
    "the entry {} goes on from one that is not there": """
        SELECT id FROM entry WHERE extends <> '' AND extends NOT IN (SELECT id FROM entry)""",
    "the entry {} counts as indexed and has no vector": """
        SELECT e.id FROM entry e JOIN index_progress p ON p.space = e.space AND e.seq <= p.through
        WHERE e.deleted_at = 0 AND NOT EXISTS (
            SELECT 1 FROM entry_vector v WHERE v.entry_row = e.row AND v.model_id = p.model_id)""",
    "the notification {} is for a webhook that is not there": """
        SELECT d.id FROM delivery d LEFT JOIN push_config c ON c.task_id = d.task_id AND c.id = d.config_id
        WHERE c.id IS NULL""",
}
_ENDS = ("message_done", "message_ask", "message_failed", "message_refused", "message_cancel")
_REMEMBERED = ("message_done", "message_ask")
"""The endings after which a message leaves memories."""
_ABOUT = (
    *("memory_review", "memory_rules", "memory_purge", "memory_import", "memory_export", "memory_map"),
    *("memory_snapshot", "memory_snapshot_drop"),
)
"""The types of records that no version of a memory comes with."""


def faults_in(file: Path, did: str) -> list[str]:
    """Every rule that does not hold, as sentences; empty when all is well."""
    connection = connect(file, writes=False)
    try:
        reader = Reader(connection)
        faults = file_faults(reader) + audit_faults(reader, did)
        for sentence, query in _NONE_OF_THESE.items():
            faults += [sentence.format(id_) for (id_,) in connection.execute(query)]
        return [*faults, *_half_turns(connection), *_half_memories(connection)]
    finally:
        connection.close()


def unfinished_in(file: Path) -> list[str]:
    """The tasks that are submitted or working."""
    connection = connect(file, writes=False)
    try:
        return [row[0] for row in Reader(connection).rows("unfinished_tasks")]
    finally:
        connection.close()


def _half_turns(connection: apsw.Connection) -> Iterator[str]:
    """Messages against records: each is accepted once, ends once at most, and leaves memories if it ended well."""
    records = list(_records(connection, "message_%"))
    accepted = Counter(record["details"]["message_id"] for record in records if record["type"] == "message_accept")
    ended = {
        record["details"]["message_id"]: record["type"]
        for record in records
        if record["type"] in _ENDS and "message_id" in record["details"]
    }
    kept = {id_: json.loads(body) for id_, body in connection.execute("SELECT id, body FROM message")}
    asked = {id_: body for id_, body in kept.items() if body["role"] == "ROLE_USER"}
    yield from _differences(asked, accepted, "the message {} has no record", "a record names the message {}, not there")
    yield from (f"the message {id_} was accepted {times} times" for id_, times in accepted.items() if times > 1)
    left = _texts_left(connection)
    known = {record["details"]["message_id"] for record in records if record["details"].get("merged")}
    erased = set(_erased(connection))
    known |= {
        record["details"]["message_id"] for record in records if erased & {*record["details"].get("memories", ())}
    }
    for id_, body in asked.items():
        said = "".join(part.get("text", "") for part in body["parts"]).strip()
        expected = said if ended.get(id_) in _REMEMBERED and id_ not in known else ""
        if left.get(id_, "") != expected:
            yield f"the message {id_} ended with {ended.get(id_)} and left {left.get(id_, '')!r:.80}"


def _half_memories(connection: apsw.Connection) -> Iterator[str]:
    """Memories against records: each version is in one record, which names what it wrote; what is erased is gone.

    What a conversation leaves is in the record of its end; only what becomes of it has one of its own.
    """
    records = Counter(
        id_ for record in _records(connection, "memory_%") if record["type"] not in _ABOUT for id_ in _written(record)
    )
    erased = set(_erased(connection))
    query = "SELECT id, version - (message_id <> '') FROM entry WHERE message_id = '' OR version > 1"
    versions = dict(connection.execute(query))
    for id_ in (records.keys() | versions.keys()) - erased:
        if records[id_] != versions.get(id_, 0):
            yield f"the memory {id_} has {versions.get(id_, 0)} versions and {records[id_]} records"
    there = {id_ for (id_,) in connection.execute("SELECT id FROM entry")}
    yield from (f"the memory {id_} is there, and a record says that it was erased" for id_ in erased & there)
    archive = {id_ for (id_,) in connection.execute("SELECT id FROM archive")}
    yield from (f"the archive has the memory {id_}, and no record says that it was erased" for id_ in archive - erased)
    purged = {id_ for record in _records(connection, "memory_purge") for id_ in record["details"]["entries"]}
    yield from (f"the memory {id_} was erased and is not in the archive" for id_ in erased - archive - purged)
    yield from (f"the memory {id_} was purged and is in the archive" for id_ in purged & archive)


def _erased(connection: apsw.Connection) -> Iterator[str]:
    """The memories whose erasure is recorded."""
    for record in _records(connection, "memory_%"):
        if record["details"].get("action") == "hard_delete":
            yield record["details"]["memoryId"]


def _written(record: dict[str, Any]) -> list[str]:
    details = record["details"]
    if record["type"] == "memory_load":  # one of the whole load, and of its links, too
        return [*details.get("entries", ()), *details.get("replaced", ())]
    written: list[str] = details.get("entries", [record["action"]["target"]]) + details.get("changed", [])
    return written


def _records(connection: apsw.Connection, type_: str) -> Iterator[dict[str, Any]]:
    for (body,) in connection.execute("SELECT body FROM audit WHERE type LIKE ? ORDER BY seq", (type_,)):
        yield json.loads(body)


def _texts_left(connection: apsw.Connection) -> dict[str, str]:
    """What each message left in memory, its pieces joined."""
    texts: dict[str, str] = {}
    pieces = "SELECT message_id, content FROM entry WHERE message_id <> '' ORDER BY message_id, piece"
    for id_, content in connection.execute(pieces):
        texts[id_] = texts.get(id_, "") + content
    return texts


def _differences(left: Iterable[str], right: Iterable[str], only_left: str, only_right: str) -> Iterator[str]:
    yield from (only_left.format(id_) for id_ in set(left) - set(right))
    yield from (only_right.format(id_) for id_ in set(right) - set(left))
