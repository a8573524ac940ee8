"""What the ledger answers about memory: entries by id, page and words, their vectors, and the order of a Space."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry, Origin
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


class MemoryLedger(Protocol):
    """The memory side of the ledger."""

    async def entry(self, entry_id: str) -> MemoryEntry | None:
        """An entry, softly deleted ones too."""
        ...

    async def versions_before(self, entry_id: str, version: int, limit: int) -> tuple[MemoryEntry, ...]:
        """An entry as it was before a version, latest first, each time with the links it showed then."""
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
