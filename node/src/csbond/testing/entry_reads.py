"""Memory entries: by id, by page, by words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from csbond.flows.ports import EntryQuery, WordHit, WordHits
from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.filter import admits
from csbond.protocol.memory.fusion import query_coverage
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.text_key import text_key as text_key_of
from csbond.protocol.memory.visibility import Audience, may_hear
from csbond.protocol.memory.words import Query, match_all, match_any, query_terms
from csbond.protocol.messages.listing import Page
from csbond.testing.open_rows import OpenRows
from csbond.testing.row_pages import page_of
from csbond.testing.word_index import frequency, ranked


class EntryReads(OpenRows):
    """The memory side of the ledger."""

    async def entry(self, entry_id: str) -> MemoryEntry | None:
        """An entry, softly deleted ones too."""
        rows = self._open()
        entry = rows.entries.get(entry_id)
        return entry and rows.shown(entry)

    async def versions_before(self, entry_id: str, version: int, limit: int) -> tuple[MemoryEntry, ...]:
        """An entry as it was before a version, latest first, each time with the links it showed then."""
        kept = self._open().versions
        numbers = sorted((number for id_, number in kept if id_ == entry_id and number < version), reverse=True)
        return tuple(kept[entry_id, number] for number in numbers[: max(0, limit)])

    async def was_linked(self, entry_id: str, target_id: str, made_by: str) -> bool:
        """Whether an earlier version of an entry showed a link to another that a rule made, and that is not erased."""
        versions = (version for (id_, _), version in self._open().versions.items() if id_ == entry_id)
        return any((link.target_id, link.made_by) == (target_id, made_by) for each in versions for link in each.links)

    async def entries_of_text(
        self,
        space: str,
        text_key: bytes,
        origin: Origin,
        timestamp: int | None = None,
        limit: int = 8,
        like: MemoryEntry | None = None,
    ) -> tuple[MemoryEntry, ...]:
        """Living single texts that differ only as `protocol.memory.text_key` allows, latest first."""
        rows = self._open()
        gone_on_from = {entry.extends for entry in rows.entries.values()}
        found = [
            rows.shown(entry)
            for entry in rows.entries.values()
            if entry.space == space
            and not (entry.deleted_at or entry.extends or entry.piece or entry.id in gone_on_from)
            and _place(origin) == _place(entry.origin)
            and timestamp in (None, entry.timestamp)
            and text_key_of(entry.content) == text_key
            and (like is None or _kind(entry) == _kind(like))
        ]
        return tuple(reversed(found))[: max(0, limit)]

    async def living_ids(self, ids: Collection[str], audience: Audience) -> frozenset[str]:
        """Those of the ids whose entries are there, not softly deleted, and may be told to the audience."""
        entries = self._open().entries
        known = (entries[id_] for id_ in ids if id_ in entries)
        return frozenset(entry.id for entry in known if not entry.deleted_at and may_hear(audience, entry))

    async def hidden_links(self, entry_id: str) -> tuple[Link, ...]:
        """The links of an entry that nobody is shown, because what they lead to is softly deleted."""
        rows = self._open()
        links = (rows.links[key] for key in sorted(rows.links) if key[0] == entry_id)
        return tuple(link for link in links if not rows.visible(link))

    async def entry_pieces(self, entry_id: str) -> tuple[MemoryEntry, ...]:
        """The whole text an entry belongs to, piece by piece, softly deleted ones too."""
        rows, found = self._open(), {entry_id}
        entries = rows.entries
        while True:
            linked = {entry.id for entry in entries.values() if entry.extends in found}
            linked |= {entries[id_].extends for id_ in found if id_ in entries and entries[id_].extends in entries}
            if linked <= found:
                break
            found |= linked
        return tuple(
            sorted(
                (rows.shown(entries[id_]) for id_ in found if id_ in entries),
                key=lambda entry: (entry.piece, entry.seq),
            )
        )

    async def entries(self, query: EntryQuery) -> Page[MemoryEntry]:
        """A page of entries, newest first."""
        entries = [entry for entry in self._admitted(query) if bool(entry.deleted_at) in _wanted(query)]
        return page_of(entries, lambda entry: (entry.timestamp, entry.id), query.before, query.limit)

    async def entries_by_id(self, ids: Sequence[str]) -> dict[str, MemoryEntry]:
        """Those of the ids that exist."""
        rows = self._open()
        return {id_: rows.shown(rows.entries[id_]) for id_ in ids if id_ in rows.entries}

    async def matching_ids(self, query: EntryQuery) -> Collection[str] | None:
        """The ids of living entries a filter admits; None when it admits all of the Space."""
        if query.audience.everything and not query.narrows:
            return None
        return frozenset(entry.id for entry in self._admitted(query) if not (entry.deleted_at or query.deleted))

    async def search_entries(self, match: str, terms: Sequence[str], query: EntryQuery, limit: int) -> WordHits:
        """Living entries whose words fit, within the filter, best first."""
        rows = self._open()
        admitted = {entry.id for entry in self._admitted(query)}
        hits = [WordHit(id_, rank) for id_, rank in ranked(match, rows.entry_words) if id_ in admitted]
        if not hits or limit <= 0:
            return WordHits((), 0.0)
        frequencies = {term: frequency(match_any(Query(terms=(term,))), rows.entry_words) for term in terms}
        coverage = query_coverage(hits[0].rank, frequencies.values(), len(rows.entry_words))
        return WordHits(tuple(hits[:limit]), coverage, tuple(frequencies.items()))

    def _admitted(self, query: EntryQuery) -> list[MemoryEntry]:
        """The entries that all filters but the one of deletion let through."""
        rows = self._open()
        match = match_all(query_terms(query.text))
        texts = rows.deleted_words() if query.deleted else rows.entry_words
        of_text = {id_ for id_, _ in ranked(match, texts)} if match else set()
        return [
            entry
            for entry in map(rows.shown, rows.entries.values())
            if entry.space == query.space
            and (not query.text or entry.id in of_text)
            and admits(replace(query.filter, deleted=bool(entry.deleted_at)), query.audience, entry)
        ]


def _wanted(query: EntryQuery) -> tuple[bool, ...]:
    """Whether softly deleted entries are asked for, living ones, or both."""
    if query.deleted:
        return (True,)
    return (False, True) if query.include_deleted else (False,)


def _kind(entry: MemoryEntry) -> tuple[str, ...]:
    return entry.content, entry.project, entry.type, entry.visibility, entry.origin.speaker


def _place(origin: Origin) -> tuple[str, str]:
    return origin.caller_key, origin.thread_id
