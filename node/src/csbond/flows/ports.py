"""Everything a story may ask of the outside world; `csbond.testing` ships an in-memory twin of each."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from csbond.flows.changes import Change
from csbond.protocol.continuity.thread import Listener, Session, Thread, ThreadMessage
from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import Page, TaskQuery
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import Artifact, Task


class Clock(Protocol):
    """The one clock of the process."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        ...


class Identifiers(Protocol):
    """Where random names and secrets come from."""

    def unique(self) -> str:
        """A UUID-like name that nobody can guess."""
        ...

    def letters(self, count: int) -> str:
        """Random lower-case letters and digits."""
        ...

    def secret(self) -> str:
        """A token of at least 256 random bits, safe in a URL."""
        ...


class Signer(Protocol):
    """The key of this node; the private half never leaves it."""

    @property
    def did(self) -> str:
        """The did:key of the public half."""
        ...

    def sign(self, data: bytes) -> bytes:
        """The 64-byte Ed25519 signature."""
        ...


@dataclass(frozen=True, slots=True)
class Committed:
    """That a change is on disk, and its place in the order of its Space."""

    space_seq: int


@dataclass(frozen=True, slots=True)
class EntryQuery:
    """Which memory entries to list, newest first; every filter narrows."""

    space: str
    audience: Audience
    level: Level | None = None
    type: EntryType | None = None
    tag: str = ""
    source: str = ""
    include_deleted: bool = False
    before: tuple[int, str] | None = None
    """The (timestamp, id) of the last row of the page before."""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class WordHit:
    """A row found by its words, with its BM25 rank as a positive number."""

    id: str
    rank: float


@dataclass(frozen=True, slots=True)
class WordHits:
    """The best rows by words, and how much of the query the best one covers (0…1)."""

    hits: tuple[WordHit, ...]
    coverage: float


@dataclass(frozen=True, slots=True)
class PrincipalRow:
    """A named principal, without its token."""

    caller: Caller
    created_at: int


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One vector row: the truth behind the index."""

    entry_id: str
    space: str
    seq: int
    vector: bytes


class Ledger(Protocol):
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

    # tasks
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

    # push
    async def push_configs(self, task_id: str) -> tuple[PushConfig, ...]:
        """The webhooks of a task, in the order they were made."""
        ...

    async def due_deliveries(self, now: int, limit: int) -> tuple[Delivery, ...]:
        """The first notification that waits for each webhook, of those whose time has come, oldest first."""
        ...

    async def next_delivery_at(self) -> int | None:
        """When the next of those first notifications is due; None when none waits."""
        ...

    # threads
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

    # memory
    async def entry(self, entry_id: str) -> MemoryEntry | None:
        """An entry, softly deleted ones too."""
        ...

    async def entry_pieces(self, entry_id: str) -> tuple[MemoryEntry, ...]:
        """The whole text an entry belongs to, piece by piece; a single entry for a short text."""
        ...

    async def entries(self, query: EntryQuery) -> Page[MemoryEntry]:
        """A page of entries, newest first."""
        ...

    async def entries_by_id(self, ids: Sequence[str]) -> dict[str, MemoryEntry]:
        """Those of the ids that exist."""
        ...

    async def matching_ids(self, query: EntryQuery) -> Collection[str] | None:
        """The ids of living entries a filter admits; None when it admits all of the Space."""
        ...

    async def search_entries(self, match: str, terms: Sequence[str], query: EntryQuery, limit: int) -> WordHits:
        """Living entries whose words fit, within the filter, best first."""
        ...

    async def counts(self) -> dict[str, int]:
        """How many tasks, threads, messages, entries, deliveries and audit records there are."""
        ...

    # vectors
    async def entries_after(self, space: str, seq: int, limit: int) -> tuple[MemoryEntry, ...]:
        """Entries changed after a place in the order, softly deleted ones too, oldest change first."""
        ...

    async def save_vectors(self, space: str, model_id: str, vectors: Sequence[StoredVector], through: int) -> None:
        """Keep vectors and how far the Space is indexed, in one transaction."""
        ...

    async def vectors(self, space: str, model_id: str) -> tuple[StoredVector, ...]:
        """Every vector of living entries made by a model."""
        ...

    async def indexed_through(self, space: str, model_id: str) -> int:
        """How far a Space is indexed by a model; 0 at first."""
        ...

    async def space_seq(self, space: str) -> int:
        """The place of the latest commit of a Space."""
        ...

    # principals
    async def principal_by_digest(self, token_digest: str) -> Caller | None:
        """The principal whose token has this digest."""
        ...

    async def principals(self) -> tuple[PrincipalRow, ...]:
        """All named principals, by name."""
        ...

    # jobs
    async def jobs_ran(self) -> dict[str, int]:
        """When each job of the schedule last began to run, by its name."""
        ...

    async def look_after(self) -> None:
        """Let the database renew what it knows of its tables, and fold its log into the file."""
        ...

    async def close(self) -> None:
        """Finish what is queued and let go of the database."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors: 32-bit floats, little-endian, of length one."""

    @property
    def model_id(self) -> str:
        """Names the model and how it is used; vectors of two names are never mixed."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    async def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> list[bytes]:
        """A vector a text; `embedder_unavailable` when the model does not answer."""
        ...

    async def close(self) -> None:
        """End the model's process."""
        ...


class VectorIndex(Protocol):
    """Nearest neighbours in memory, rebuilt from the vector rows at start."""

    def put(self, space: str, entry_id: str, vector: bytes) -> None:
        """Add or replace a vector."""
        ...

    def drop(self, space: str, entry_id: str) -> None:
        """Forget a vector; one that is not there is no error."""
        ...

    def search(self, space: str, query: bytes, limit: int, allowed: Collection[str] | None) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest, best first, among the allowed ones or all."""
        ...

    def count(self, space: str) -> int:
        """How many vectors a Space has."""
        ...


class Journal(Protocol):
    """Where faults are noted for the owner; never a secret, never the text of a message."""

    def failed(self, story: str, fault: BaseException, **facts: str) -> None:
        """Note that something a story asked for failed."""
        ...


class Webhooks(Protocol):
    """Calls notification addresses, and only such as the node may call."""

    async def check(self, url: str) -> None:
        """Nothing, or `webhook_refused` with the reason."""
        ...

    async def post(self, config: PushConfig, payload: bytes) -> bool:
        """Whether the address took the notification (2xx); `webhook_refused` when it may not be called."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Peers(Protocol):
    """Other agents, reached by A2A."""

    async def send(self, url: str, message: Message) -> tuple[str, Message]:
        """(name of the agent by its card, its answer); `peer_unreachable` or `peer_broke_protocol`."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
