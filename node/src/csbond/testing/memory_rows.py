"""The rows of the in-memory ledger: tables that know how to take back what was done to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from csbond.flows.changes import LASTING, SavePrincipal
from csbond.flows.exchange_ledger import NamedRecord
from csbond.flows.memory_changes import SnapshotMember
from csbond.flows.ports import StoredVector
from csbond.protocol.continuity.thread import Session, Thread, ThreadMessage
from csbond.protocol.errors import LocalProtocolError, RemoteProtocolError
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.foreign_record import ForeignName, ForeignVector
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.review import Review
from csbond.protocol.memory.snapshot import SnapshotHead, SnapshotLoad
from csbond.protocol.memory.stats import Removal
from csbond.protocol.memory.vector_map import VectorMap
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.memory.words import index_text
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
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    """By source, target and relation."""
    archive: dict[str, ArchivedMemory] = field(default_factory=dict)
    reviews: dict[str, tuple[str, Review]] = field(default_factory=dict)
    """Each with the Space of its memory."""
    policies: dict[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)
    evictions: dict[tuple[str, Removal], int] = field(default_factory=dict)
    """How many there were on each day, by Space."""
    snapshots: dict[str, tuple[str, SnapshotHead]] = field(default_factory=dict)
    """Each with its Space."""
    members: dict[tuple[str, str], tuple[SnapshotMember, bytes | None]] = field(default_factory=dict)
    """By snapshot and memory, each with its vector."""
    loads: dict[str, SnapshotLoad] = field(default_factory=dict)
    foreign_names: dict[tuple[str, ForeignName], NamedRecord] = field(default_factory=dict)
    """By Space and name."""
    foreign_vectors: dict[tuple[str, str], tuple[ForeignVector, int]] = field(default_factory=dict)
    """By memory and fingerprint, each with its place in the order."""
    vector_maps: dict[tuple[str, str], VectorMap] = field(default_factory=dict)
    vectors: dict[tuple[str, str, str], StoredVector] = field(default_factory=dict)
    through: dict[tuple[str, str], int] = field(default_factory=dict)
    principals: dict[str, SavePrincipal] = field(default_factory=dict)
    jobs: dict[str, int] = field(default_factory=dict)
    records: dict[int, KeptRecord] = field(default_factory=dict)
    linked: int = 0
    """Of how many entries the change that is made sets links."""
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

    def begin(self, linked: int) -> None:
        """What is put and dropped from here on can be taken back."""
        self._undo.clear()
        self.linked = linked

    def take_back(self) -> None:
        """Leave every row as it was at the beginning."""
        for undo in reversed(self._undo):
            undo()

    def visible(self, link: Link) -> bool:
        """Whether what a link leads to is not a memory that is softly deleted."""
        target = self.entries.get(link.target_id)
        return target is None or not target.deleted_at

    def shown(self, entry: MemoryEntry) -> MemoryEntry:
        """An entry as it is read: with its visible links."""
        links = [self.links[key] for key in sorted(key for key in self.links if key[0] == entry.id)]
        visible = tuple(link for link in links if not entry.deleted_at and self.visible(link))
        return replace(entry, links=visible) if links else entry

    def first_piece(self, entry_id: str) -> str:
        """Where the text of an entry begins."""
        while (entry := self.entries.get(entry_id)) and entry.extends:
            entry_id = entry.extends
        return entry_id

    def deleted_words(self) -> dict[str, tuple[str, ...]]:
        """The words of what is softly deleted, made for the question."""
        return {entry.id: words_of(entry) for entry in self.entries.values() if entry.deleted_at}

    def passing_before(self, before: int) -> list[tuple[str, str]]:
        """The requests that were seen before a time and are not to last."""
        return [key for key, kept in self.requests.items() if kept[2] < before and not key[0].startswith(LASTING)]

    def need_thread(self, caller_key: str, thread_id: str) -> Thread:
        """The thread a row points to."""
        thread = self.threads.get((caller_key, thread_id))
        if thread is None:
            raise LocalProtocolError("internal_error", f"there is no thread {thread_id} of this caller")
        return thread

    def need_task(self, task_id: str) -> None:
        """Nothing, when there is the task a row points to."""
        if task_id not in self.tasks:
            raise LocalProtocolError("internal_error", f"there is no task {task_id}")


def words_of(entry: MemoryEntry) -> tuple[str, ...]:
    """The terms an entry is found by."""
    return tuple(index_text("\n".join((entry.content, *entry.tags))).split())


def kept_json(value: Any) -> Any:
    """A JSON value as a database gives it back; `invalid_params` for what JSON or UTF-8 cannot say."""
    try:
        return orjson.loads(orjson.dumps(value))
    except TypeError as fault:
        raise RemoteProtocolError("invalid_params", f"a value cannot be stored: {fault}") from fault
