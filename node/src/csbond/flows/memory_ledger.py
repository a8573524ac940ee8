"""What the ledger answers about memory: entries by id, page and words, their vectors, and the order of a Space."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry, Origin
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.visibility import Audience
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


class MemoryLedger(Protocol):
    """The memory side of the ledger."""

    async def entry(self, entry_id: str) -> MemoryEntry | None:
        """An entry, softly deleted ones too."""
        ...

    async def version(self, entry_id: str, version: int) -> MemoryEntry | None:
        """An entry as it was at a version, with the links it showed then; the present one included."""
        ...

    async def entries_of_text(
        self, space: str, text_key: bytes, origin: Origin, timestamp: int | None = None, limit: int = 8
    ) -> tuple[MemoryEntry, ...]:
        """Living single texts that differ only as `protocol.memory.text_key` allows, latest first.

        Those of the caller and thread of an origin, and of one time if it is given; no pieces of longer texts.
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
