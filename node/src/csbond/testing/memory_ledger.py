"""The `Ledger` port in memory: the same answers as the database, and nothing left when it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from csbond.flows.changes import AppendChunk, Change, SaveTask
from csbond.flows.ports import Committed, EntryQuery, PrincipalRow, Signer, StoredVector, WordHit, WordHits
from csbond.protocol.continuity.thread import Listener, Session, Thread, ThreadMessage
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.fusion import query_coverage
from csbond.protocol.memory.visibility import may_hear
from csbond.protocol.memory.words import Query, match_any
from csbond.protocol.messages.caller import Caller, CallerKind
from csbond.protocol.messages.listing import Page, TaskQuery, cursor_of
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import INTERRUPTED, UNFINISHED, Artifact, Task, assembled
from csbond.testing.memory_rows import KeptRecord, Rows
from csbond.testing.ports import FixedSigner
from csbond.testing.word_index import frequency, ranked

Row = TypeVar("Row")
Position = tuple[int, str]


class InMemoryLedger:
    """For tests of stories and skills. Words are found as they are written: there is no stemming."""

    def __init__(self, signer: Signer | None = None, agent_name: str = "agent") -> None:
        self._rows = Rows()
        self._signer = signer or FixedSigner()
        self._agent_name = agent_name
        self._owed: dict[str, Exception] = {}
        self._faults: list[Exception] = []
        self._closed = False

    # for tests only

    def fail_next(self, fault: Exception) -> None:
        """Let the next change fail with a fault, as a full disk would make it."""
        self._faults.append(fault)

    @property
    def records(self) -> Sequence[KeptRecord]:
        """The audit records, in order."""
        return tuple(self._rows.records.values())

    def versions(self, entry_id: str) -> Sequence[MemoryEntry]:
        """What an entry was before, oldest first."""
        return tuple(entry for (id_, _), entry in sorted(self._rows.versions.items(), key=_first) if id_ == entry_id)

    # writing

    async def commit(self, change: Change) -> Committed:
        """Write a change whole, or raise and write nothing."""
        task_ids = _task_ids(change)
        owed = next((self._owed[task_id] for task_id in task_ids if task_id in self._owed), None)
        for task_id in task_ids:
            self._owed.pop(task_id, None)
        if owed:
            raise owed
        committed = Committed(self._apply(change))
        await asyncio.sleep(0)
        return committed

    async def commit_soon(self, change: Change) -> asyncio.Future[int]:
        """Write a change; its failure is told by the future and at the next `commit` of the same task."""
        written: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        try:
            written.set_result(self._apply(change))
        except Exception as fault:
            if self._closed:
                raise
            self._owed.update(dict.fromkeys(_task_ids(change), fault))
            written.set_exception(fault)
        return written

    async def append_chunk_soon(self, change: Change) -> None:
        """Write a chunk; its failure surfaces at the next `commit` of the same task."""
        if not self._owed.keys() & _task_ids(change):
            (await self.commit_soon(change)).exception()

    async def save_vectors(self, space: str, model_id: str, vectors: Sequence[StoredVector], through: int) -> None:
        """Keep vectors and how far the Space is indexed."""
        rows = self._open()
        for vector in vectors:
            if vector.entry_id in rows.entries:
                rows.vectors[vector.space, model_id, vector.entry_id] = vector
        rows.through[space, model_id] = through

    async def close(self) -> None:
        """Answer nothing any more."""
        self._closed = True

    def _apply(self, change: Change) -> int:
        rows = self._open()
        if self._faults:
            raise self._faults.pop(0)
        return rows.apply(change, self._signer, self._agent_name)

    def _open(self) -> Rows:
        if self._closed:
            raise Unavailable("storage_unavailable", "the ledger is closed")
        return self._rows

    # tasks

    async def task(self, task_id: str, caller_key: str | None) -> Task | None:
        """A task that is not hidden, of this caller; of any caller for None."""
        task = self._open().tasks.get(task_id)
        return task if task and not task.hidden and caller_key in (None, task.caller_key) else None

    async def tasks(self, query: TaskQuery) -> Page[Task]:
        """A page of a caller's tasks that are not hidden, newest status first."""
        tasks = [
            task
            for task in self._open().tasks.values()
            if task.caller_key == query.caller_key
            and not task.hidden
            and query.context_id in ("", task.context_id)
            and query.state in (None, task.state)
            and (query.status_after is None or task.status_at >= query.status_after)
        ]
        return _page(tasks, lambda task: (task.status_at, task.id), query.before, query.limit)

    async def artifacts(self, task_id: str) -> tuple[Artifact, ...]:
        """The artifacts of a task, chunks joined, in the order they began."""
        chunks = self._open().chunks.values()
        return assembled((artifact, append) for of_task, artifact, append in chunks if of_task == task_id)

    async def history(self, task_id: str, limit: int | None) -> tuple[Message, ...]:
        """The latest messages of a task, oldest first; all of them for None."""
        said = [said.message for said in self._open().messages.values() if task_id and said.task_id == task_id]
        return tuple(said if limit is None else said[len(said) - min(len(said), max(0, limit)) :])

    async def unfinished_tasks(self) -> tuple[Task, ...]:
        """Tasks that are submitted or working, hidden ones too."""
        return tuple(task for task in self._open().tasks.values() if task.state in UNFINISHED)

    async def waiting_tasks(self, before: int, limit: int) -> tuple[Task, ...]:
        """Tasks that have waited for their caller since before a time, the longest first."""
        waiting = (
            task for task in self._open().tasks.values() if task.state in INTERRUPTED and task.status_at < before
        )
        return tuple(sorted(waiting, key=lambda task: task.status_at)[: max(0, limit)])

    async def repeated_request(self, caller_key: str, message_id: str) -> tuple[str, str, int] | None:
        """(digest, task id, seen at) of the message id, when this caller sent it before."""
        return self._open().requests.get((caller_key, message_id))

    async def requests_before(self, before: int) -> bool:
        """Whether a request is remembered that was seen before a time and is not to last."""
        return bool(self._open().passing_before(before))

    async def push_configs(self, task_id: str) -> tuple[PushConfig, ...]:
        """The webhooks of a task, in the order they were made."""
        return tuple(config for config in self._open().configs.values() if config.task_id == task_id)

    async def due_deliveries(self, now: int, limit: int) -> tuple[Delivery, ...]:
        """The first notification that waits for each webhook, of those whose time has come, oldest first."""
        due = [delivery for delivery in self._first_deliveries() if delivery.due_at <= now]
        return tuple(sorted(due, key=lambda delivery: delivery.due_at)[: max(0, limit)])

    async def next_delivery_at(self) -> int | None:
        """When the next of those first notifications is due; None when none waits."""
        return min((delivery.due_at for delivery in self._first_deliveries()), default=None)

    def _first_deliveries(self) -> Collection[Delivery]:
        first: dict[tuple[str, str], Delivery] = {}
        for delivery in self._open().deliveries.values():
            first.setdefault((delivery.task_id, delivery.config_id), delivery)
        return first.values()

    # threads

    async def thread(self, thread_id: str, caller_key: str | None) -> Thread | None:
        """A thread of this caller; for None (the owner looks) the one of that id that spoke last."""
        threads = [
            thread
            for thread in self._open().threads.values()
            if thread.id == thread_id and caller_key in (None, thread.caller_key)
        ]
        return max(threads, key=lambda thread: (thread.updated_at, thread.caller_key), default=None)

    async def session(self, session_id: str, caller_key: str) -> Session | None:
        """The session a caller opened."""
        return self._open().sessions.get((caller_key, session_id))

    async def sessions(self, thread_id: str, caller_key: str) -> tuple[Session, ...]:
        """The sessions of a thread, oldest first."""
        of_thread = [
            session
            for session in self._open().sessions.values()
            if (session.caller_key, session.thread_id) == (caller_key, thread_id)
        ]
        return tuple(sorted(of_thread, key=lambda session: (session.opened_at, session.id)))

    async def threads(
        self, caller_key: str | None, spaces: Collection[str] | None, before: Position | None, limit: int
    ) -> Page[Thread]:
        """Threads, latest first; of one caller and within some Spaces, or of all for None."""
        threads = [
            thread
            for thread in self._open().threads.values()
            if caller_key in (None, thread.caller_key) and (spaces is None or thread.space in spaces)
        ]
        return _page(threads, lambda thread: (thread.updated_at, thread.id), before, limit)

    async def thread_messages(
        self, thread_id: str, caller_key: str, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """The latest messages of a thread before a place in the order, oldest first; whole commits."""
        said = self._said(before_seq, lambda said: (said.caller_key, said.thread_id) == (caller_key, thread_id))
        return tuple(reversed(_whole_commits(said, limit)))

    async def message(self, caller_key: str, message_id: str) -> ThreadMessage | None:
        """A message of a caller by its id; the latest, where the caller gave the id twice."""
        said = self._said(None, lambda said: (said.caller_key, said.message.id) == (caller_key, message_id))
        return said[0] if said else None

    async def messages_of_sender(
        self, name: str, listener: Listener | None, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """What senders of that name said, latest first; whole commits."""
        said = self._said(
            before_seq, lambda said: said.sender.name == name and (listener is None or listener.hears(said))
        )
        return tuple(_whole_commits(said, limit))

    async def search_messages(
        self, match: str, listener: Listener | None, limit: int
    ) -> tuple[tuple[ThreadMessage, float], ...]:
        """Messages whose words fit a MATCH text of `protocol.memory.words`, best first, with their rank."""
        rows = self._open()
        hits = [(rows.messages[row], rank) for row, rank in ranked(match, rows.message_words)]
        return tuple(hit for hit in hits if listener is None or listener.hears(hit[0]))[: max(0, limit)]

    def _said(self, before_seq: int | None, wanted: Callable[[ThreadMessage], bool]) -> list[ThreadMessage]:
        """The wanted messages before a place, latest first."""
        said = [said for said in self._open().messages.values() if wanted(said)]
        return [said for said in reversed(said) if before_seq is None or said.seq < before_seq]

    # memory

    async def entry(self, entry_id: str) -> MemoryEntry | None:
        """An entry, softly deleted ones too."""
        return self._open().entries.get(entry_id)

    async def entry_pieces(self, entry_id: str) -> tuple[MemoryEntry, ...]:
        """The whole text an entry belongs to, piece by piece, softly deleted ones too."""
        entries, found = self._open().entries, {entry_id}
        while True:
            linked = {entry.id for entry in entries.values() if entry.extends in found}
            linked |= {entries[id_].extends for id_ in found if id_ in entries and entries[id_].extends in entries}
            if linked <= found:
                break
            found |= linked
        return tuple(
            sorted((entries[id_] for id_ in found if id_ in entries), key=lambda entry: (entry.piece, entry.seq))
        )

    async def entries(self, query: EntryQuery) -> Page[MemoryEntry]:
        """A page of entries, newest first."""
        entries = [
            entry
            for entry in self._open().entries.values()
            if _fits(query, entry) and (query.include_deleted or not entry.deleted_at)
        ]
        return _page(entries, lambda entry: (entry.timestamp, entry.id), query.before, query.limit)

    async def entries_by_id(self, ids: Sequence[str]) -> dict[str, MemoryEntry]:
        """Those of the ids that exist."""
        entries = self._open().entries
        return {id_: entries[id_] for id_ in ids if id_ in entries}

    async def matching_ids(self, query: EntryQuery) -> Collection[str] | None:
        """The ids of living entries a filter admits; None when it admits all of the Space."""
        if query.audience.everything and not (query.level or query.type or query.tag or query.source):
            return None
        entries = self._open().entries.values()
        return frozenset(entry.id for entry in entries if _fits(query, entry) and not entry.deleted_at)

    async def search_entries(self, match: str, terms: Sequence[str], query: EntryQuery, limit: int) -> WordHits:
        """Living entries whose words fit, within the filter, best first."""
        rows = self._open()
        hits = [WordHit(id_, rank) for id_, rank in ranked(match, rows.entry_words) if _fits(query, rows.entries[id_])]
        if not hits or limit <= 0:
            return WordHits((), 0.0)
        frequencies = [frequency(match_any(Query(terms=(term,))), rows.entry_words) for term in terms]
        return WordHits(tuple(hits[:limit]), query_coverage(hits[0].rank, frequencies, len(rows.entry_words)))

    async def counts(self) -> dict[str, int]:
        """How many tasks, threads, messages, entries, deliveries and audit records there are."""
        rows = self._open()
        return {
            "tasks": sum(not task.hidden for task in rows.tasks.values()),
            "threads": len(rows.threads),
            "messages": len(rows.messages),
            "entries": sum(not entry.deleted_at for entry in rows.entries.values()),
            "deliveries": len(rows.deliveries),
            "audit": len(rows.records),
        }

    # vectors

    async def entries_after(self, space: str, seq: int, limit: int) -> tuple[MemoryEntry, ...]:
        """Entries changed after a place in the order, softly deleted ones too, oldest change first."""
        changed = [entry for entry in self._open().entries.values() if entry.space == space and entry.seq > seq]
        return tuple(sorted(changed, key=lambda entry: entry.seq)[: max(0, limit)])

    async def vectors(self, space: str, model_id: str) -> tuple[StoredVector, ...]:
        """Every vector of living entries made by a model."""
        rows = self._open()
        return tuple(
            vector
            for (of_space, model, entry_id), vector in rows.vectors.items()
            if (of_space, model) == (space, model_id) and not rows.entries[entry_id].deleted_at
        )

    async def indexed_through(self, space: str, model_id: str) -> int:
        """How far a Space is indexed by a model; 0 at first."""
        return self._open().through.get((space, model_id), 0)

    async def space_seq(self, space: str) -> int:
        """The place of the latest commit of a Space; 0 before the first."""
        return self._open().seqs.get(space, 0)

    # principals

    async def principal_by_digest(self, token_digest: str) -> Caller | None:
        """The principal whose token has this digest."""
        for row in self._open().principals.values():
            if row.token_digest == token_digest:
                return Caller(CallerKind.PRINCIPAL, row.name, row.role, frozenset(row.spaces))
        return None

    async def principals(self) -> tuple[PrincipalRow, ...]:
        """All named principals, by name."""
        rows = sorted(self._open().principals.values(), key=lambda row: row.name)
        return tuple(
            PrincipalRow(Caller(CallerKind.PRINCIPAL, row.name, row.role, frozenset(row.spaces)), row.created_at)
            for row in rows
        )

    # jobs

    async def jobs_ran(self) -> dict[str, int]:
        """When each job of the schedule last began to run, by its name."""
        return dict(self._open().jobs)

    async def look_after(self) -> None:
        """There is nothing to look after."""
        self._open()


def _task_ids(change: Change) -> set[str]:
    return {
        write.task.id if isinstance(write, SaveTask) else write.task_id
        for write in change.writes
        if isinstance(write, SaveTask | AppendChunk)
    }


def _page(rows: list[Row], position: Callable[[Row], Position], before: Position | None, limit: int) -> Page[Row]:
    ordered = sorted(rows, key=position, reverse=True)
    left = [row for row in ordered if before is None or position(row) < before]
    shown = tuple(left[: max(0, limit)])
    return Page(shown, cursor_of(position(shown[-1])) if shown and len(left) > len(shown) else "", len(rows))


def _whole_commits(said: list[ThreadMessage], limit: int) -> list[ThreadMessage]:
    """The first ones, and those that were committed together with the last of them."""
    if limit <= 0:
        return []
    return [each for each in said if len(said) <= limit or each.seq >= said[limit - 1].seq]


def _fits(query: EntryQuery, entry: MemoryEntry) -> bool:
    return (
        entry.space == query.space
        and query.level in (None, entry.level)
        and query.type in (None, entry.type)
        and query.source in ("", entry.source)
        and (not query.tag or query.tag in entry.tags)
        and may_hear(query.audience, entry)
    )


def _first(item: tuple[tuple[str, int], Any]) -> tuple[str, int]:
    return item[0]
