"""Rows of a database as the values of the protocol, column by column in the order of the named column lists."""

from __future__ import annotations

from functools import lru_cache

from csbond.protocol.continuity.thread import Sender, Session, Thread, ThreadMessage
from csbond.protocol.memory.entry import Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.review import Review
from csbond.protocol.memory.snapshot import SnapshotHead, SnapshotLoad
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.caller import Caller, CallerKind, Role
from csbond.protocol.messages.message import Message, message_from_json
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import Task, TaskState
from csbond.store.writing.json_columns import EMPTY, NONE, from_json
from csbond.store.writing.writing import Row

_LEVELS = {level.value: level for level in Level}
_VISIBILITIES = {visibility.value: visibility for visibility in Visibility}
_origin = lru_cache(maxsize=256)(Origin)
"""Most entries share theirs with many: making each anew is a tenth of what reading one costs."""


def task_of(row: Row) -> Task:
    """A row of `task_columns`."""
    id_, context_id, thread_id, caller_key, state, status_at, created_at, version, status, metadata, hidden = row
    return Task(
        id=id_,
        context_id=context_id,
        thread_id=thread_id,
        caller_key=caller_key,
        state=TaskState(state),
        status_at=status_at,
        created_at=created_at,
        version=version,
        status_message=None if status is None else message_of(status),
        metadata={} if metadata == EMPTY else from_json(metadata),
        hidden=bool(hidden),
    )


def message_of(body: str) -> Message:
    """A message from its JSON column."""
    return message_from_json(from_json(body))


def thread_of(row: Row) -> Thread:
    """A row of `thread_columns`."""
    return Thread(*row)


def session_of(row: Row) -> Session:
    """A row of `session_columns`."""
    return Session(*row)


def thread_message_of(row: Row) -> ThreadMessage:
    """A row of `message_columns`; what follows those is left alone."""
    thread_id, caller_key, space, session_id, task_id, name, did, said_at, body = row[:9]
    parent_id, importance, private, seq = row[9:13]
    return ThreadMessage(
        thread_id=thread_id,
        caller_key=caller_key,
        space=space,
        session_id=session_id,
        task_id=task_id,
        sender=Sender(name, did),
        said_at=said_at,
        message=message_of(body),
        parent_id=parent_id,
        importance=importance,
        private=bool(private),
        seq=seq,
    )


def entry_of(row: Row) -> MemoryEntry:
    """A row of `entry_columns`, which are in the order of the fields: naming each of them costs as much as the read."""
    extra, links = row[20], row[27]
    fields = (
        *row[:4],
        tuple(from_json(row[4])),
        *row[5:7],
        _LEVELS[row[7]],
        _VISIBILITIES[row[8]],
        _origin(*row[9:13]),
        *row[13:20],
        {} if extra == EMPTY else from_json(extra),
        *row[21:27],
        () if links == NONE else tuple(Link(*told) for told in from_json(links)),
        bool(row[28]),
        *row[29:],
    )
    return MemoryEntry(*fields)


def archived_of(row: Row) -> ArchivedMemory:
    """A row of `archive_columns`."""
    id_, space, type_, timestamp, original_level, *rest = row
    return ArchivedMemory(id_, space, type_, timestamp, Level(original_level), *rest)


def review_of(row: Row) -> Review:
    """A row of `review_columns`."""
    id_, entry_id, entry_version, kind, proposed, *rest = row
    return Review(id_, entry_id, entry_version, kind, from_json(proposed), *rest)


def snapshot_head_of(row: Row) -> SnapshotHead:
    """A row of `snapshot_columns`."""
    id_, created, source, description, total, levels, checksum, links, embeddings, model_id = row
    of_levels = {Level(level): count for level, count in from_json(levels).items()}
    return SnapshotHead(
        id_, created, source, description, total, of_levels, checksum, bool(links), bool(embeddings), model_id
    )


def snapshot_load_of(row: Row) -> SnapshotLoad:
    """A row of `load_columns`."""
    id_, snapshot_id, agent, source, checksum, loaded_at, loaded_by, counts, conflicts, lenient = row
    return SnapshotLoad(
        id=id_,
        snapshot_id=snapshot_id,
        agent=agent,
        source=source,
        checksum=checksum,
        loaded_at=loaded_at,
        loaded_by=loaded_by,
        counts=from_json(counts),
        conflicts=tuple(from_json(conflicts)),
        lenient=bool(lenient),
    )


def push_config_of(row: Row) -> PushConfig:
    """A row of `push_configs`."""
    return PushConfig(*row)


def delivery_of(row: Row) -> Delivery:
    """A row of `due_deliveries`."""
    return Delivery(*row)


def principal_of(row: Row) -> Caller:
    """A row of `principals`, without its last column."""
    name, role, spaces = row[:3]
    return Caller(CallerKind.PRINCIPAL, name, Role(role), frozenset(from_json(spaces)))
