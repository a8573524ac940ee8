"""What the ledger answers about memory: entries by id, page and words, their vectors, and the order of a Space."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from csbond.flows.exchange_ledger import ExchangeLedger
from csbond.flows.network_ledger import NetworkLedger
from csbond.flows.snapshot_ledger import SnapshotLedger
from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry, Origin
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.forgetting import Match
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.review import Review, ReviewKind
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.listing import Page


@dataclass(frozen=True, slots=True)
class EntryQuery:
    """Which memory entries to list, newest first; every filter narrows."""

    space: str
    audience: Audience
    level: Level | None = None
    type: EntryType | None = None
    tag: str = ""
    source: str = ""
    project: str | None = None
    """The folded name of a project; "" for entries of none, None for all."""
    link_target: str = ""
    """Only entries with a visible link to this."""
    since: int | None = None
    """Of this time or later, in milliseconds since 1970; `until` takes its own moment in as well."""
    until: int | None = None
    text: str = ""
    """Only entries that hold every word of it, as a search does; a text without words is in none."""
    thread: str = ""
    include_deleted: bool = False
    """Softly deleted entries too, but of those with a `text` only the living."""
    deleted: bool = False
    """Softly deleted entries only; they show no links, so none is there with a `link_target`."""
    before: tuple[int, str] | None = None
    """The (timestamp, id) of the last row of the page before."""
    limit: int = 50

    @property
    def narrows(self) -> bool:
        """Whether it asks for less than everything its audience may be told."""
        everything = EntryQuery(
            self.space, self.audience, include_deleted=self.include_deleted, before=self.before, limit=self.limit
        )
        return self != everything

    @property
    def filter(self) -> EntryFilter:
        """The same, as a rule judges an entry."""
        return EntryFilter(
            level=self.level,
            type=self.type,
            tag=self.tag,
            source=self.source,
            project=self.project,
            link_target=self.link_target,
            since=self.since,
            until=self.until,
            text=self.text,
            thread=self.thread,
            deleted=self.deleted,
        )


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
    terms: tuple[tuple[str, int], ...] = ()
    """The terms of the query in its order, each with the number of rows it is in."""


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One vector row: the truth behind the index."""

    entry_id: str
    space: str
    seq: int
    vector: bytes


@dataclass(frozen=True, slots=True)
class FiledVector:
    """A vector row of a living entry, with what an index is asked of the entry."""

    stored: StoredVector
    facets: Facets
    place: int
    """Grows from row to row; the next page begins after it."""


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """What there is of one model in a Space."""

    model_id: str
    dimension: int
    """Numbers of a vector; 0 when there is none."""
    vectors: int
    through: int
    """How far the Space is indexed by it; negative while its vectors are being dropped."""


ReviewState = Literal["open", "decided", ""]
"""Which questions to list: those that wait, those that were decided, or all."""


class DueMemories(Protocol):
    """What tending asks: memories that are due for something, by index, batch by batch.

    `after` is the last entry of the batch before, as it was then, whatever has become of it since. `now` leaves out
    what changed its tier at that very time, so that nothing moves twice at one time. Of a text in pieces the first is
    told, and counted, alone: it stands for all of them.
    """

    async def due_for_clearing(
        self, space: str, deleted_until: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Memories that were softly deleted at a time or before, the earliest first."""
        ...

    async def outlived(
        self, space: str, level: Level, now: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Living memories of a tier whose own time to live has passed, the earliest first.

        The home's time to live of cold counts from the latest use: ask `least_used` for it.
        """
        ...

    async def least_used(
        self,
        space: str,
        level: Level,
        now: int,
        limit: int,
        after: MemoryEntry | None = None,
        *,
        used_until: int | None = None,
        project: str | None = None,
    ) -> tuple[MemoryEntry, ...]:
        """Living memories of a tier in the order in which a cap evicts them: by latest use, then by id.

        Only those used last at a time or before, and of one project ("" of none), where that is given.
        """
        ...

    async def often_used(
        self, space: str, used_since: int, now: int, limit: int, after: MemoryEntry | None = None, *, uses: int = 0
    ) -> tuple[MemoryEntry, ...]:
        """Living warm memories that were used at a time or later, by latest use, then by id.

        Only those that remember so many uses, whenever they were.
        """
        ...

    async def found_cold(
        self, space: str, now: int, limit: int, after: MemoryEntry | None = None
    ) -> tuple[MemoryEntry, ...]:
        """Living cold memories that a search by meaning found, by id."""
        ...

    async def rule_matches(
        self,
        space: str,
        match: Match,
        now: int,
        limit: int,
        after: MemoryEntry | None = None,
        *,
        above_cold: bool = False,
    ) -> tuple[MemoryEntry, ...]:
        """Living memories that a rule matches at a time, each once, in an order of the ledger's own.

        `above_cold` leaves out those that are cold, where a rule archives. What moved at `now` is in.
        """
        ...

    async def tier_size(self, space: str, level: Level) -> int:
        """How many living memories are in a tier."""
        ...

    async def crowded_projects(self, space: str, cap: int) -> tuple[tuple[str, int], ...]:
        """The projects with more than so many living warm memories, by name, with how many they have."""
        ...


class ForgottenLedger(Protocol):
    """What is left of cleared memories, what the owner set, and what waits for a person."""

    async def archived(self, entry_id: str) -> ArchivedMemory | None:
        """The record of a cleared memory."""
        ...

    async def archived_by_id(self, ids: Sequence[str]) -> dict[str, ArchivedMemory]:
        """Those of the ids whose memories were cleared."""
        ...

    async def archive_page(self, space: str, before: tuple[int, str] | None, limit: int) -> Page[ArchivedMemory]:
        """A page of such records, the latest cleared first; `before` is the (cleared_at, id) of a last row."""
        ...

    async def expired_archive(
        self, space: str, cleared_until: int, limit: int, after: ArchivedMemory | None = None
    ) -> tuple[ArchivedMemory, ...]:
        """Records of memories that were cleared at a time or before, the earliest first."""
        ...

    async def policy(self, name: str) -> tuple[int, Mapping[str, Any]] | None:
        """The latest version of a document that the owner set; None before the first."""
        ...

    async def review(self, review_id: str) -> Review | None:
        """One question."""
        ...

    async def reviews(self, space: str, state: ReviewState, before: tuple[int, str] | None, limit: int) -> Page[Review]:
        """A page of questions about memories of a Space, the latest first; `before` is an (asked_at, id)."""
        ...

    async def latest_reviews(self, entry_ids: Collection[str], kind: ReviewKind) -> dict[str, Review]:
        """The latest question of a kind about each of the memories there was one about, by the memory's id."""
        ...

    async def open_reviews(self, entry_id: str) -> tuple[Review, ...]:
        """The questions about a memory that wait, the earliest first."""
        ...

    async def erase_traces(self, *, at_once: bool = True) -> bool:
        """Make the bytes of all that was erased unreadable in the files of the ledger; True when none is left.

        False while somebody reads an earlier state of them, or the disk has no room to write them anew: it is to be
        asked again. Writing them anew holds up whoever writes, so at once is for somebody who waits, and done only
        where the files are not large; otherwise it is done now and then. Cheap when nothing was erased.
        """
        ...


class MemoryLedger(DueMemories, ForgottenLedger, NetworkLedger, SnapshotLedger, ExchangeLedger, Protocol):
    """The memory side of the ledger."""

    async def entry(self, entry_id: str) -> MemoryEntry | None:
        """An entry, softly deleted ones too."""
        ...

    async def versions_before(self, entry_id: str, version: int, limit: int) -> tuple[MemoryEntry, ...]:
        """An entry as it was before a version, latest first, each time with the links it showed then."""
        ...

    async def was_linked(self, entry_id: str, target_id: str, made_by: str) -> bool:
        """Whether an earlier version of an entry showed a link to another that a rule made, and that is not erased."""
        ...

    async def entries_of_text(
        self,
        space: str,
        text_key: bytes,
        origin: Origin,
        timestamp: int | None = None,
        limit: int = 8,
        like: MemoryEntry | None = None,
    ) -> tuple[MemoryEntry, ...]:
        """Living single texts that differ only as `protocol.memory.text_key` allows, latest first.

        Those of the caller and thread of an origin, and of one time if it is given; no pieces of longer texts. With an
        entry they are to be `like`, only those of its content, project, type, visibility and speaker.
        """
        ...

    async def living_ids(self, ids: Collection[str], audience: Audience) -> frozenset[str]:
        """Those of the ids whose entries are there, not softly deleted, and may be told to the audience."""
        ...

    async def hidden_links(self, entry_id: str) -> tuple[Link, ...]:
        """The links of an entry that nobody is shown, because what they lead to is softly deleted."""
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

    async def entries_after(self, space: str, seq: int, limit: int) -> tuple[MemoryEntry, ...]:
        """Entries changed after a place in the order, softly deleted ones too, oldest change first."""
        ...

    async def save_vectors(
        self, space: str, model_id: str, vectors: Sequence[StoredVector], through: int, gone: Sequence[str] = ()
    ) -> None:
        """Keep vectors, drop those of the entries that are named as gone, and keep how far the Space is indexed."""
        ...

    async def vectors(self, space: str, model_id: str, after: int, limit: int) -> tuple[FiledVector, ...]:
        """The next vectors of living entries made by a model, from a place on; -1 is before the first."""
        ...

    async def vectors_of(self, space: str, model_id: str, ids: Sequence[str]) -> dict[str, StoredVector]:
        """Those of the entries that have a vector of a model, softly deleted ones too."""
        ...

    async def drop_vectors(self, space: str, model_id: str, limit: int) -> bool:
        """Drop vectors of a model; True while there are more.

        Until the last one is gone the model counts as indexed through -1, then as never used.
        """
        ...

    async def models(self, space: str) -> tuple[ModelVectors, ...]:
        """Every model that a Space has been indexed by, by its name."""
        ...

    async def indexed_through(self, space: str, model_id: str) -> int:
        """How far a Space is indexed by a model; 0 at first, -1 while its vectors are being dropped."""
        ...

    async def space_seq(self, space: str) -> int:
        """The place of the latest commit of a Space."""
        ...
