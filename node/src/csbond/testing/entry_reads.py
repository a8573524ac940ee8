"""Memory entries: by id, by page, by words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from csbond.flows.ports import EntryQuery, WordHit, WordHits
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.fusion import query_coverage
from csbond.protocol.memory.visibility import may_hear
from csbond.protocol.memory.words import Query, match_any
from csbond.protocol.messages.listing import Page
from csbond.testing.open_rows import OpenRows
from csbond.testing.row_pages import page_of
from csbond.testing.word_index import frequency, ranked


class EntryReads(OpenRows):
    """The memory side of the ledger."""

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
        return page_of(entries, lambda entry: (entry.timestamp, entry.id), query.before, query.limit)

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


def _fits(query: EntryQuery, entry: MemoryEntry) -> bool:
    return (
        entry.space == query.space
        and query.level in (None, entry.level)
        and query.type in (None, entry.type)
        and query.source in ("", entry.source)
        and (not query.tag or query.tag in entry.tags)
        and may_hear(query.audience, entry)
    )
