"""The one memory of the node as stories see it: one way to write, and a side of reads for each kind of record."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from csbond.flows.changes import Change
from csbond.flows.memory_ledger import MemoryLedger
from csbond.protocol.continuity.thread import Listener, Session, Thread, ThreadMessage
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import Page, TaskQuery
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import Artifact, Task


@dataclass(frozen=True, slots=True)
class Committed:
    """That a change is on disk, and its place in the order of its Space."""

    space_seq: int


@dataclass(frozen=True, slots=True)
class PrincipalRow:
    """A named principal, without its token."""

    caller: Caller
    created_at: int


class TaskLedger(Protocol):
    """The task side of the ledger, with what notifies of tasks."""

    async def task(self, task_id: str, caller_key: str | None) -> Task | None:
        """A task that is not hidden, of this caller; of any caller for None."""
        ...

    async def tasks(self, query: TaskQuery) -> Page[Task]:
        """A page of a caller's tasks that are not hidden, newest status first."""
        ...

    async def artifacts(self, task_id: str) -> tuple[Artifact, ...]:
        """The artifacts of a task, chunks joined, in the order they began."""
        ...

    async def history(self, task_id: str, limit: int | None) -> tuple[Message, ...]:
        """The latest messages of a task, oldest first; all of them for None."""
        ...

    async def unfinished_tasks(self) -> tuple[Task, ...]:
        """Tasks that were submitted or working when the last process ended."""
        ...

    async def waiting_tasks(self, before: int, limit: int) -> tuple[Task, ...]:
        """Tasks that have waited for their caller since before a time, the longest first."""
        ...

    async def repeated_request(self, caller_key: str, message_id: str) -> tuple[str, str, int] | None:
        """(digest, task id, seen at) of the message id, when this caller sent it before."""
        ...

    async def requests_before(self, before: int) -> bool:
        """Whether a request is remembered that was seen before a time and is not to last."""
        ...

    async def push_configs(self, task_id: str) -> tuple[PushConfig, ...]:
        """The webhooks of a task, in the order they were made."""
        ...

    async def due_deliveries(self, now: int, limit: int) -> tuple[Delivery, ...]:
        """The first notification that waits for each webhook, of those whose time has come, oldest first."""
        ...

    async def next_delivery_at(self) -> int | None:
        """When the next of those first notifications is due; None when none waits."""
        ...


class ThreadLedger(Protocol):
    """The conversation side of the ledger."""

    async def thread(self, thread_id: str, caller_key: str | None) -> Thread | None:
        """A thread of this caller; for None (the owner looks) the one of that id that spoke last."""
        ...

    async def session(self, session_id: str, caller_key: str) -> Session | None:
        """The session a caller opened."""
        ...

    async def threads(
        self, caller_key: str | None, spaces: Collection[str] | None, before: tuple[int, str] | None, limit: int
    ) -> Page[Thread]:
        """Threads, latest first; of one caller and within some Spaces, or of all for None."""
        ...

    async def thread_messages(
        self, thread_id: str, caller_key: str, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """The latest messages of a thread before a place in the order, oldest first."""
        ...

    async def message(self, caller_key: str, message_id: str) -> ThreadMessage | None:
        """A message of a caller by its id."""
        ...

    async def sessions(self, thread_id: str, caller_key: str) -> tuple[Session, ...]:
        """The sessions of a thread, oldest first."""
        ...

    async def messages_of_sender(
        self, name: str, listener: Listener | None, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """What senders of that name said, latest first, to a listener or (None) to anybody; DIDs tell them apart."""
        ...

    async def search_messages(
        self, match: str, listener: Listener | None, limit: int
    ) -> tuple[tuple[ThreadMessage, float], ...]:
        """Messages to a listener (None: any) that fit a MATCH text of `protocol.memory.words`, best first, ranked."""
        ...


class PrincipalLedger(Protocol):
    """The access side of the ledger."""

    async def principal_by_digest(self, token_digest: str) -> Caller | None:
        """The principal whose token has this digest."""
        ...

    async def principals(self) -> tuple[PrincipalRow, ...]:
        """All named principals, by name."""
        ...


class JobLedger(Protocol):
    """The schedule's side of the ledger."""

    async def jobs_ran(self) -> dict[str, int]:
        """When each job of the schedule last began to run, by its name."""
        ...

    async def look_after(self) -> None:
        """Let the database renew what it knows of its tables, and fold its log into the file."""
        ...


class Ledger(TaskLedger, ThreadLedger, MemoryLedger, PrincipalLedger, JobLedger, Protocol):
    """The one memory of the node. Writes go through `commit`; reads see every commit before them."""

    async def commit(self, change: Change) -> Committed:
        """Write a change whole and durably, or raise and write nothing.

        `version_conflict`, `already_exists`, `storage_full`, `storage_unavailable`.
        """
        ...

    async def commit_soon(self, change: Change) -> Future[int]:
        """Queue a change to go with the next group; the future has its place in the order once it is on disk.

        A failure is told there, and at the next `commit` of the same task.
        """
        ...

    async def append_chunk_soon(self, change: Change) -> None:
        """Queue a change to go with the next group; it returns before it is durable. For stream chunks only.

        A failure surfaces at the next `commit` of the same task.
        """
        ...

    async def counts(self) -> dict[str, int]:
        """How many tasks, threads, messages, entries, deliveries and audit records there are."""
        ...

    async def close(self) -> None:
        """Finish what is queued and let go of the database."""
        ...
