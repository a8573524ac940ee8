"""Memory entries: by id, by page, by words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from csbond.flows.ports import EntryQuery, WordHit, WordHits
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.fusion import query_coverage
from csbond.protocol.memory.words import RAREST_TERMS, Query, match_any, rarest
from csbond.protocol.messages.listing import Page
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.pages import LATEST, page_of
from csbond.store.writing.rows import entry_of

_AFTER_ALL_TEXT = b""
"""SQLite sorts every blob after every text."""


class EntryReads:
    """The memory side of the ledger."""

    _database: Database

    async def entry(self, entry_id: str) -> MemoryEntry | None:
        """An entry, softly deleted ones too."""
        row = self._database.reader.row("entry", {"id": entry_id})
        return entry_of(row) if row else None

    async def entries_by_id(self, ids: Sequence[str]) -> dict[str, MemoryEntry]:
        """Those of the ids that exist."""
        rows = self._database.reader.rows("entries_by_id", {"ids": to_json(list(ids))})
        return {row[0]: entry_of(row) for row in rows}

    async def entry_pieces(self, entry_id: str) -> tuple[MemoryEntry, ...]:
        """The whole text an entry belongs to, piece by piece, softly deleted ones too."""
        return tuple(map(entry_of, self._database.reader.rows("entry_pieces", {"id": entry_id})))

    async def entries(self, query: EntryQuery) -> Page[MemoryEntry]:
        """A page of entries, newest first."""
        return await self._database.scan("entry", _entries, query)

    async def matching_ids(self, query: EntryQuery) -> Collection[str] | None:
        """The ids of living entries a filter admits; None when it admits all of the Space."""
        if query.audience.everything and not (query.level or query.type or query.tag or query.source):
            return None
        return await self._database.scan("entry", _matching_ids, query)

    async def search_entries(self, match: str, terms: Sequence[str], query: EntryQuery, limit: int) -> WordHits:
        """Living entries whose words fit, within the filter, best first."""
        if not match or limit <= 0:
            return WordHits((), 0.0)
        return await self._database.scan("entry", _search_entries, match, tuple(terms), query, limit)

    async def entries_after(self, space: str, seq: int, limit: int) -> tuple[MemoryEntry, ...]:
        """Entries changed after a place in the order, softly deleted ones too, oldest change first."""
        rows = self._database.reader.rows("entries_after", {"space": space, "seq": seq, "limit": max(0, limit)})
        return tuple(map(entry_of, rows))


def _filter(query: EntryQuery) -> dict[str, Any]:
    return {
        "space": query.space,
        "level": query.level.value if query.level else None,
        "type": query.type,
        "source": query.source,
        "tag": query.tag,
        "everything": query.audience.everything,
        "caller_key": query.audience.caller_key,
        "thread_id": query.audience.thread_id,
    }


def _entries(reader: Reader, query: EntryQuery) -> Page[MemoryEntry]:
    before_at, before_id = query.before or (LATEST, "")
    bindings = _filter(query) | {
        "include_deleted": query.include_deleted,
        "before_at": before_at,
        "before_id": before_id,
        "limit": max(0, query.limit) + 1,
    }
    entries = tuple(map(entry_of, reader.rows("entries_page", bindings)))
    living = query.audience.everything and not query.include_deleted
    total = reader.rows("living_total" if living else "entries_total", bindings)[0][0]
    return page_of(entries, query.limit, total, lambda entry: (entry.timestamp, entry.id))


def _matching_ids(reader: Reader, query: EntryQuery) -> Collection[str]:
    if query.tag:
        name = "matching_ids_of_tag"
    elif query.audience.everything:
        name = "matching_ids"
    else:
        name = "matching_ids_heard"
    thread_id = query.audience.thread_id
    threads = {"first_thread": thread_id, "last_thread": thread_id or _AFTER_ALL_TEXT}
    return frozenset(id_ for (id_,) in reader.rows(name, _filter(query) | threads))


def _search_entries(reader: Reader, match: str, terms: tuple[str, ...], query: EntryQuery, limit: int) -> WordHits:
    frequency = _frequencies(reader, terms)
    if len(terms) > RAREST_TERMS and match == match_any(Query(terms=terms)):
        # Ranking by the rarest terms alone finds the same and does not walk through every common word.
        match = match_any(Query(terms=terms), rarest(terms, frequency))
        if not match:
            return WordHits((), 0.0)
    rows = reader.rows("search_entries", _filter(query) | {"match": match, "limit": limit})
    if not rows:
        return WordHits((), 0.0)
    texts = reader.rows("indexed_entries")[0][0]
    hits = tuple(WordHit(id_, rank) for id_, rank in rows)
    return WordHits(hits, query_coverage(hits[0].rank, frequency.values(), texts))


def _frequencies(reader: Reader, terms: tuple[str, ...]) -> dict[str, int]:
    """In how many entries each term occurs; a single CJK character stands for every word that holds it."""
    matches = {term: match_any(Query(terms=(term,))) for term in terms}
    stems = {term: reader.stems(term) for term, match in matches.items() if not match.endswith("*")}
    wanted = to_json([stem for stemmed in stems.values() for stem in stemmed])
    known: dict[str, int] = dict(reader.rows("term_frequencies", {"stems": wanted}))
    return {
        term: min((known.get(stem, 0) for stem in stems[term]), default=0)
        if term in stems
        else reader.rows("match_frequency", {"match": match})[0][0]
        for term, match in matches.items()
    }
