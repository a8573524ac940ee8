"""One commit group on its way to disk: begun once, filled unit by unit, sealed, and committed by the writer thread.

A unit that fails is taken back alone. What all units share is written once, when the group is sealed: the last place
in the order of each Space, the words of the full text indexes (they would be flushed at every savepoint otherwise),
and the audit records with one signature.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import apsw

from csbond.flows.ports import Signer
from csbond.protocol.audit.record import FIRST_HASH, AuditDraft, audit_body
from csbond.protocol.canonical_json import canonical_bytes
from csbond.store.sqlite import crash_point
from csbond.store.sqlite.faults import translated
from csbond.store.sqlite.statements import statements
from csbond.store.writing.writing import NOTHING, Bindings, Row


class GroupLost(Exception):
    """SQLite took back the whole transaction, not just the unit that failed."""


@dataclass(slots=True)
class StatementCounts:
    """What was executed since counting began: statements by name, and bytes of the texts and blobs they were given."""

    statements: Counter[str] = field(default_factory=Counter)
    bytes: int = 0

    def add(self, name: str, bindings: Bindings) -> None:
        """Count one statement."""
        self.statements[name] += 1
        for value in bindings.values():
            if isinstance(value, str):
                self.bytes += len(value.encode())
            elif isinstance(value, bytes):
                self.bytes += len(value)


@dataclass(frozen=True, slots=True)
class _Record:
    """An audit record that has its place and hash, and waits for the signature of the group."""

    seq: int
    draft: AuditDraft
    body: str
    hash: str


class Transaction:
    """The write connection while a group is open, a `Writing`; statements run in one thread at a time."""

    def __init__(self, connection: apsw.Connection, signer: Signer, agent_name: str) -> None:
        self._connection = connection
        self._sql = statements()
        self._signer = signer
        self._did = signer.did
        self._agent_name = agent_name
        self.counts: StatementCounts | None = None
        self._clear()

    def _clear(self) -> None:
        self._seqs: dict[str, int] = {}
        self._records: list[_Record] = []
        self._head: tuple[int, str] | None = None
        self._words: dict[tuple[str, int], str | None] = {}

    # what the writer does

    def begin(self) -> None:
        """Open the transaction of a group."""
        self._clear()
        if crash_point.reached is not None:
            crash_point.reached("before_begin")
        self.run("begin")

    def attempt(self, apply: Callable[[Transaction], int]) -> int:
        """What the unit returns; when it raises, what it wrote is taken back and the translated fault is raised.

        `GroupLost` when SQLite took back everything.
        """
        seqs, records, words = dict(self._seqs), len(self._records), self._words
        self._words = {}
        self.run("savepoint")
        try:
            outcome = apply(self)
        except Exception as fault:
            self._seqs, self._words = seqs, words
            del self._records[records:]
            self._take_back_unit(fault)
            raise translated(fault) from fault
        self.run("release")
        words.update(self._words)
        self._words = words
        return outcome

    def _take_back_unit(self, fault: Exception) -> None:
        try:
            if self._connection.in_transaction:
                self.run("rollback_unit")
                self.run("release")
                return
        except apsw.Error as worse:
            fault.add_note(f"and the unit could not be taken back: {worse}")
        raise GroupLost from fault

    def seal(self) -> None:
        """Write what the units of the group share."""
        for space, seq in self._seqs.items():
            if seq:
                self.run("save_space_seq", {"space": space, "seq": seq})
        for (table, row), words in self._words.items():
            if words is None:
                self.run(f"unindex_{table}", {"row": row})
            else:
                self.run(f"index_{table}", {"row": row, "words": words})
        if self._records:
            self._sign(self._records[-1])
        if crash_point.reached is not None:
            crash_point.reached("before_commit")

    def commit(self) -> None:
        """Make the group durable; this is what the writer thread does."""
        self._connection.execute(self._sql["commit"])
        if self.counts is not None:
            self.counts.add("commit", NOTHING)
        if crash_point.reached is not None:
            crash_point.reached("after_commit")

    def roll_back(self) -> None:
        """Take back the group, when there is anything left of it."""
        with suppress(apsw.Error):  # the fault that led here is the one to tell
            if self._connection.in_transaction:
                self._connection.execute(self._sql["rollback"])

    # what the units do

    def run(self, name: str, bindings: Bindings = NOTHING) -> list[Row]:
        """Execute a named statement and return its rows."""
        rows = self._connection.execute(self._sql[name], bindings).fetchall()
        if self.counts is not None:
            self.counts.add(name, bindings)
        if crash_point.reached is not None:
            crash_point.reached(f"after_{name}")
        return rows

    def insert(self, name: str, bindings: Bindings) -> int | None:
        """The row that a statement added; None when it added none."""
        self.run(name, bindings)
        return self._connection.last_insert_rowid() if self._connection.changes() else None

    def changed(self, name: str, bindings: Bindings) -> bool:
        """Whether a statement changed any row."""
        self.run(name, bindings)
        return self._connection.changes() > 0

    def merged(self, name: str, pages: int) -> bool:
        """Whether a statement that merges a full text index found anything to merge; it writes one row anyway."""
        before = self._connection.total_changes()
        self.run(name, {"pages": pages})
        return self._connection.total_changes() - before > 1

    def next_seq(self, space: str) -> int:
        """The place of the unit in the order of its Space."""
        seq = self._seqs.get(space)
        if seq is None:
            rows = self.run("space_seq", {"space": space})
            seq = rows[0][0] if rows else 0
        self._seqs[space] = seq + 1
        return seq + 1

    def index_words(self, table: str, row: int, words: str | None) -> None:
        """Make a row of `entry`, `deleted` or `message` findable by its words, or no longer for None."""
        self._words[table, row] = words

    def record(self, draft: AuditDraft) -> None:
        """Give an audit record its place in the chain."""
        if self._head is None:
            rows = self.run("last_audit")
            self._head = rows[0] if rows else (0, FIRST_HASH)
        seq, previous = (self._records[-1].seq, self._records[-1].hash) if self._records else self._head
        body = canonical_bytes(audit_body(draft, self._did, self._agent_name, previous))
        digest = "sha256:" + hashlib.sha256(body).hexdigest()
        self._records.append(_Record(seq + 1, draft, body.decode(), digest))

    def _sign(self, last: _Record) -> None:
        signature = self._signer.sign(last.hash.encode())
        for record in self._records:
            self.run(
                "insert_audit",
                {
                    "seq": record.seq,
                    "id": record.draft.id,
                    "type": record.draft.type,
                    "timestamp": record.draft.timestamp,
                    "body": record.body,
                    "hash": record.hash,
                    "signature": signature if record is last else None,
                    "signed_by": last.draft.id,
                },
            )
