"""The rows of the in-memory ledger, and what each write of a change does to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from csbond.flows.changes import (
    LASTING,
    AppendChunk,
    AppendMessage,
    Change,
    DropDelivery,
    DropPrincipal,
    DropPushConfig,
    ForgetRequests,
    KeepSession,
    KeepThread,
    NoteJob,
    QueueDelivery,
    RememberRequest,
    SavePrincipal,
    SavePushConfig,
    SaveTask,
)
from csbond.flows.memory_changes import PutEntry
from csbond.flows.ports import Signer, StoredVector
from csbond.protocol.audit.record import FIRST_HASH, audit_body, audit_hash
from csbond.protocol.continuity.thread import Session, Thread, ThreadMessage
from csbond.protocol.errors import LocalProtocolError, Refused, RemoteProtocolError
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.words import index_text
from csbond.protocol.messages.json_v1_0 import artifact_from_json, artifact_to_json
from csbond.protocol.messages.message import Message, message_from_json, message_to_json
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import Artifact, Task

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """An audit record in its place of the chain."""

    body: Mapping[str, Any]
    hash: str
    signature: bytes


@dataclass(slots=True)
class Rows:
    """All tables; a change that fails half-way is taken back row by row."""

    seqs: dict[str, int] = field(default_factory=dict)
    threads: dict[tuple[str, str], Thread] = field(default_factory=dict)
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    messages: dict[int, ThreadMessage] = field(default_factory=dict)
    message_words: dict[int, tuple[str, ...]] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    chunks: dict[int, tuple[str, Artifact, bool]] = field(default_factory=dict)
    requests: dict[tuple[str, str], tuple[str, str, int]] = field(default_factory=dict)
    configs: dict[tuple[str, str], PushConfig] = field(default_factory=dict)
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    entries: dict[str, MemoryEntry] = field(default_factory=dict)
    entry_words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    versions: dict[tuple[str, int], MemoryEntry] = field(default_factory=dict)
    vectors: dict[tuple[str, str, str], StoredVector] = field(default_factory=dict)
    through: dict[tuple[str, str], int] = field(default_factory=dict)
    principals: dict[str, SavePrincipal] = field(default_factory=dict)
    jobs: dict[str, int] = field(default_factory=dict)
    records: dict[int, KeptRecord] = field(default_factory=dict)
    _undo: list[Callable[[], object]] = field(default_factory=list)

    def put(self, table: dict[Key, Value], key: Key, value: Value) -> None:
        """Set a row, and know how to take it back."""
        if key in table:
            before = table[key]
            self._undo.append(lambda: table.__setitem__(key, before))
        else:
            self._undo.append(lambda: table.pop(key, None))
        table[key] = value

    def drop(self, table: dict[Key, Value], key: Key) -> None:
        """Remove a row, if it is there; taken back, it comes last."""
        if key in table:
            before = table.pop(key)
            self._undo.append(lambda: table.__setitem__(key, before))

    def add(self, table: dict[int, Value], value: Value) -> None:
        """Append a row."""
        self.put(table, next(reversed(table), 0) + 1, value)

    def apply(self, change: Change, signer: Signer, agent_name: str) -> int:
        """Make a change, or raise and leave every row as it was."""
        self._undo.clear()
        try:
            return self._apply(change, signer, agent_name)
        except BaseException:
            for undo in reversed(self._undo):
                undo()
            raise

    def _apply(self, change: Change, signer: Signer, agent_name: str) -> int:
        seq = self.seqs.get(change.space, 0) + 1
        self.put(self.seqs, change.space, seq)
        for write in sorted(change.writes, key=lambda write: _FIRST.get(type(write), len(_FIRST))):
            _APPLY[type(write)](self, write, seq)
        for draft in change.audit:
            previous = self.records[len(self.records)].hash if self.records else FIRST_HASH
            body = audit_body(draft, signer.did, agent_name, previous)
            digest = audit_hash(body)
            self.add(self.records, KeptRecord(body, digest, signer.sign(digest.encode())))
        return seq

    def keep_thread(self, write: KeepThread, _: int) -> None:
        """Open a thread, or move its time; its count is of the messages that are there."""
        thread = write.thread
        known = self.threads.get((thread.caller_key, thread.id))
        kept = replace(thread, message_count=0)
        if known:
            kept = replace(
                known, updated_at=max(known.updated_at, thread.updated_at), title=known.title or thread.title
            )
        self.put(self.threads, (thread.caller_key, thread.id), kept)

    def keep_session(self, write: KeepSession, _: int) -> None:
        """Open a session of a thread, unless it is there."""
        session = write.session
        known = self.sessions.get((session.caller_key, session.id))
        if known is None:
            self._need_thread(session.caller_key, session.thread_id)
            self.put(self.sessions, (session.caller_key, session.id), session)
        elif known.thread_id != session.thread_id:
            raise Refused("version_conflict", f"the session {session.id} belongs to another thread")

    def append_message(self, write: AppendMessage, seq: int) -> None:
        """Add a message to its thread and make its text searchable."""
        said = replace(write.message, message=_kept_message(write.message.message), seq=seq)
        thread = self._need_thread(said.caller_key, said.thread_id)
        moved = replace(thread, updated_at=max(thread.updated_at, said.said_at), message_count=thread.message_count + 1)
        self.put(self.threads, (said.caller_key, said.thread_id), moved)
        self.add(self.messages, said)
        self.put(self.message_words, len(self.messages), tuple(index_text(said.message.text).split()))

    def save_task(self, write: SaveTask, _: int) -> None:
        """Insert a task, or update what may change of it."""
        task = write.task
        status = task.status_message and _kept_message(task.status_message)
        task = replace(task, status_message=status, metadata=_kept(task.metadata))
        known = self.tasks.get(task.id)
        if task.version == 1:
            if known:
                raise Refused("already_exists", f"there is a task {task.id} already", field="taskId")
        elif known is None or known.version != task.version - 1:
            raise Refused("version_conflict", f"the task {task.id} changed meanwhile", next_step="read it again")
        else:
            task = replace(
                task,
                context_id=known.context_id,
                thread_id=known.thread_id,
                caller_key=known.caller_key,
                created_at=known.created_at,
            )
        self.put(self.tasks, task.id, task)

    def append_chunk(self, write: AppendChunk, _: int) -> None:
        """Add a chunk to an artifact of a task."""
        self._need_task(write.task_id)
        artifact = artifact_from_json(_kept(artifact_to_json(write.artifact)))
        self.add(self.chunks, (write.task_id, artifact, write.append))

    def put_entry(self, write: PutEntry, seq: int) -> None:
        """Insert an entry, or update it and keep what it was."""
        entry = replace(write.entry, extra=_kept(write.entry.extra), seq=seq)
        known = self.entries.get(entry.id)
        if entry.version == 1:
            if known:
                raise Refused("already_exists", f"there is a memory {entry.id} already", field="id")
        elif known is None or known.version != entry.version - 1:
            raise Refused("version_conflict", f"the memory {entry.id} is not at version {entry.version - 1}")
        else:
            self.put(self.versions, (entry.id, known.version), known)
            entry = replace(entry, space=known.space)
        self.put(self.entries, entry.id, entry)
        if entry.deleted_at:
            self.drop(self.entry_words, entry.id)
        else:
            words = index_text("\n".join((entry.content, *entry.tags)))
            self.put(self.entry_words, entry.id, tuple(words.split()))

    def save_push_config(self, write: SavePushConfig, _: int) -> None:
        """Insert or replace a webhook of a task."""
        self._need_task(write.config.task_id)
        self.put(self.configs, (write.config.task_id, write.config.id), write.config)

    def queue_delivery(self, write: QueueDelivery, _: int) -> None:
        """Insert or reschedule a notification."""
        self._need_task(write.delivery.task_id)
        self.put(self.deliveries, write.delivery.id, write.delivery)

    def save_principal(self, write: SavePrincipal, _: int) -> None:
        """Insert a named principal."""
        if write.name in self.principals:
            raise Refused("already_exists", f"there is a principal {write.name} already")
        self.put(self.principals, write.name, write)

    def remember_request(self, write: RememberRequest, _: int) -> None:
        """Keep which task answered a message id."""
        kept = (write.digest, write.task_id, write.seen_at)
        self.put(self.requests, (write.caller_key, write.message_id), kept)

    def forget_requests(self, write: ForgetRequests, _: int) -> None:
        """Forget requests that were seen before a time."""
        for key in self.passing_before(write.before)[: max(0, write.at_most)]:
            self.drop(self.requests, key)

    def passing_before(self, before: int) -> list[tuple[str, str]]:
        """The requests that were seen before a time and are not to last."""
        return [key for key, kept in self.requests.items() if kept[2] < before and not key[0].startswith(LASTING)]

    def _need_thread(self, caller_key: str, thread_id: str) -> Thread:
        thread = self.threads.get((caller_key, thread_id))
        if thread is None:
            raise LocalProtocolError("internal_error", f"there is no thread {thread_id} of this caller")
        return thread

    def _need_task(self, task_id: str) -> None:
        if task_id not in self.tasks:
            raise LocalProtocolError("internal_error", f"there is no task {task_id}")


def _kept(value: Any) -> Any:
    """A JSON value as a database gives it back; `invalid_params` for what JSON or UTF-8 cannot say."""
    try:
        return orjson.loads(orjson.dumps(value))
    except TypeError as fault:
        raise RemoteProtocolError("invalid_params", f"a value cannot be stored: {fault}") from fault


def _kept_message(message: Message) -> Message:
    return message_from_json(_kept(message_to_json(message)))


_FIRST = {KeepThread: 0, KeepSession: 1, AppendMessage: 2, SaveTask: 3}
"""Rows that others point to come first, whatever the order of the writes."""
_APPLY: Mapping[type, Callable[[Rows, Any, int], None]] = {
    KeepThread: Rows.keep_thread,
    KeepSession: Rows.keep_session,
    AppendMessage: Rows.append_message,
    SaveTask: Rows.save_task,
    AppendChunk: Rows.append_chunk,
    RememberRequest: Rows.remember_request,
    ForgetRequests: Rows.forget_requests,
    PutEntry: Rows.put_entry,
    SavePushConfig: Rows.save_push_config,
    DropPushConfig: lambda rows, write, _: rows.drop(rows.configs, (write.task_id, write.config_id)),
    QueueDelivery: Rows.queue_delivery,
    DropDelivery: lambda rows, write, _: rows.drop(rows.deliveries, write.delivery_id),
    SavePrincipal: Rows.save_principal,
    DropPrincipal: lambda rows, write, _: rows.drop(rows.principals, write.name),
    NoteJob: lambda rows, write, _: rows.put(rows.jobs, write.name, write.ran_at),
}
