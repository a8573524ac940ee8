"""Changes for the tests of the ledgers: small, and different wherever a mix-up should be seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from csbond.flows.changes import AppendChunk, AppendMessage, Change, KeepThread, SaveTask, Write
from csbond.flows.memory_changes import PutEntry, TouchEntries
from csbond.flows.ports import EntryQuery
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.continuity.thread import Sender, Session, Thread, ThreadMessage
from csbond.protocol.memory.entry import Level, MemoryEntry, Origin
from csbond.protocol.memory.use import Use
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.task import Artifact, Task, TaskState

__all__ = [
    "EVERYTHING",
    "NOW",
    "a_chunk",
    "a_message",
    "a_record",
    "a_session",
    "a_task",
    "a_thread",
    "an_entry",
    "everything",
    "home",
    "in_batches",
    "put",
    "said",
    "saved",
]

NOW = 1_800_000_000_000
EVERYTHING = Audience(everything=True)


def home(*writes: Write, audit: tuple[AuditDraft, ...] = ()) -> Change:
    """Return a change of the Space `home`."""
    return Change("home", writes, audit)


def everything(**filters: Any) -> EntryQuery:
    """Return the query of one who hears everything in `home`."""
    return EntryQuery("home", EVERYTHING, **filters)


def a_thread(id_: str = "thread-1", caller_key: str = "owner", **fields: Any) -> Thread:
    """Return a thread that was opened and last moved `NOW`."""
    fields = {"space": "home", "opened_at": NOW, "updated_at": NOW, "title": f"title of {id_}", **fields}
    return Thread(id_, caller_key, **fields)


def a_session(id_: str = "context-1", thread_id: str = "thread-1", caller_key: str = "owner", **fields: Any) -> Session:
    """Return a session."""
    return Session(id_, thread_id, caller_key, **{"opened_at": NOW, **fields})


def a_message(id_: str = "message-1", text: str = "hello", **fields: Any) -> ThreadMessage:
    """Return what the owner said in `thread-1`."""
    parts = fields.pop("parts", (text_part(text),))
    metadata = fields.pop("metadata", {})
    role = fields.pop("role", "user")
    task_id = fields.get("task_id", "task-1")
    kept = ThreadMessage(
        thread_id="thread-1",
        caller_key="owner",
        space="home",
        session_id="context-1",
        task_id=task_id,
        sender=Sender("Ada", "did:key:zAda"),
        said_at=NOW,
        message=Message(id_, role, parts, "context-1", task_id, metadata=metadata),
    )
    return replace(kept, **fields)


def said(message: ThreadMessage) -> Change:
    """Return the change that keeps a message with its thread."""
    thread = a_thread(message.thread_id, message.caller_key, space=message.space, updated_at=message.said_at)
    return Change(message.space, (KeepThread(thread), AppendMessage(message)))


def a_task(id_: str = "task-1", **fields: Any) -> Task:
    """Return a new task of the owner."""
    task = Task(id_, "context-1", "thread-1", "owner", TaskState.SUBMITTED, status_at=NOW, created_at=NOW)
    return replace(task, **fields)


def a_chunk(text: str, *, append: bool = True, task_id: str = "task-1", artifact_id: str = "answer") -> AppendChunk:
    """Return a chunk of text."""
    return AppendChunk(task_id, Artifact(artifact_id, (text_part(text),)), append, last_chunk=False)


def an_entry(id_: str = "mem_1", content: str = "The river was cold.", **fields: Any) -> MemoryEntry:
    """Return a new entry of the owner."""
    entry = MemoryEntry(id_, "home", "event", content, (), NOW, "user", Level.HOT, origin=Origin("owner"))
    return replace(entry, **fields)


def a_record(id_: str = "audit_1", **fields: Any) -> AuditDraft:
    """Return an audit record."""
    draft = AuditDraft(
        id=id_,
        type="memory_write",
        timestamp=NOW,
        operation="write_memory",
        target="mem_1",
        intent=Intent("keep a fact", "owner", "owner token"),
        details={"entries": ["mem_1"], "why": "因为"},
    )
    return replace(draft, **fields)


def put(*entries: MemoryEntry) -> Change:
    """Return the change that writes entries."""
    return home(*(PutEntry(entry) for entry in entries))


def touched(
    entry_id: str = "mem_1", at: int = NOW + 5, count: int = 1, tokens: str = "", found: bool = False
) -> Change:
    """Return the change that counts uses of an entry."""
    return home(TouchEntries((Use(entry_id, at, count, tokens, found),)))


def saved(*tasks: Task) -> Change:
    """Return the change that saves tasks."""
    return home(*(SaveTask(task) for task in tasks))


async def in_batches(
    ask: Callable[[int, MemoryEntry | None], Awaitable[Sequence[MemoryEntry]]], size: int
) -> list[MemoryEntry]:
    """All that is told batch by batch, each after the last of the one before."""
    found: list[MemoryEntry] = []
    last: MemoryEntry | None = None
    while batch := await ask(size, last):
        found += batch
        last = batch[-1]
    return found
