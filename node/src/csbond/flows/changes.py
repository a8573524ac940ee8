"""What one transaction of the ledger writes: a change is data, shown before it is made."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.flows.memory_changes import MemoryWrite
from csbond.protocol.audit.record import AuditDraft
from csbond.protocol.continuity.thread import Session, Thread, ThreadMessage
from csbond.protocol.messages.caller import Role
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import Artifact, Task


@dataclass(frozen=True, slots=True)
class KeepThread:
    """Open the thread, or move its `updated_at` and count when it is there (key: caller, id)."""

    thread: Thread


@dataclass(frozen=True, slots=True)
class KeepSession:
    """Open the session unless it is there (key: caller, id); one of another thread is `version_conflict`."""

    session: Session


@dataclass(frozen=True, slots=True)
class AppendMessage:
    """Add a message to its thread and make its text searchable."""

    message: ThreadMessage


@dataclass(frozen=True, slots=True)
class SaveTask:
    """Insert (version 1) or update a task; an update of another version than the one before is `version_conflict`."""

    task: Task


@dataclass(frozen=True, slots=True)
class AppendChunk:
    """Add a chunk to an artifact of a task; `append=False` starts the artifact anew."""

    task_id: str
    artifact: Artifact
    append: bool
    last_chunk: bool


LASTING = "memory:"
"""What the caller key of a request begins with that is never forgotten; no caller's own key begins so."""


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """Keep which task answered a message id of a caller, so that a repeat gets the same answer.

    Under a key of `LASTING`: which entry a write of memory made.
    """

    caller_key: str
    message_id: str
    digest: str
    task_id: str
    seen_at: int


@dataclass(frozen=True, slots=True)
class ForgetRequests:
    """Forget requests that were seen before a time, at most so many of them, and none that is `LASTING`."""

    before: int
    """Milliseconds since 1970."""
    at_most: int


@dataclass(frozen=True, slots=True)
class SavePushConfig:
    """Insert or replace a webhook of a task (key: task, id)."""

    config: PushConfig


@dataclass(frozen=True, slots=True)
class DropPushConfig:
    """Remove a webhook of a task; what is not there is no error."""

    task_id: str
    config_id: str


@dataclass(frozen=True, slots=True)
class QueueDelivery:
    """Insert or reschedule a notification."""

    delivery: Delivery


@dataclass(frozen=True, slots=True)
class DropDelivery:
    """Remove a notification that arrived or was given up."""

    delivery_id: str


@dataclass(frozen=True, slots=True)
class SavePrincipal:
    """Insert a named principal; the same name again is `already_exists`."""

    name: str
    role: Role
    spaces: tuple[str, ...]
    token_digest: str
    created_at: int


@dataclass(frozen=True, slots=True)
class DropPrincipal:
    """Remove a named principal; its token ends with it."""

    name: str


@dataclass(frozen=True, slots=True)
class NoteJob:
    """Note when a job of the schedule began to run."""

    name: str
    ran_at: int
    """Milliseconds since 1970."""


Write = (
    KeepThread
    | KeepSession
    | AppendMessage
    | SaveTask
    | AppendChunk
    | RememberRequest
    | ForgetRequests
    | SavePushConfig
    | DropPushConfig
    | QueueDelivery
    | DropDelivery
    | SavePrincipal
    | DropPrincipal
    | NoteJob
    | MemoryWrite
)


@dataclass(frozen=True, slots=True)
class Change:
    """All or nothing: the writes of one Space and their audit records, in one transaction."""

    space: str
    writes: tuple[Write, ...]
    audit: tuple[AuditDraft, ...] = ()
