"""Memory entries: by id, by page, by words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from csbond.flows.ports import EntryQuery, WordHit, WordHits
from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.fusion import query_coverage
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.memory.words import RAREST_TERMS, Query, match_all, match_any, query_terms, rarest
from csbond.protocol.messages.listing import Page
from csbond.store.sqlite.audience import audience_bindings, own_bindings
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.pages import LATEST, page_of
from csbond.store.writing.rows import entry_of

PREFIXES_INLINE = 4
"""Single CJK characters that are looked for on the event loop: each takes up to half a millisecond."""
LETTERS_INLINE = 2_000
"""Letters of the words that are looked for on the event loop: some 10 ms, of a question that fills a page."""
ROWS_INLINE = 1_000
"""Entries of a page that is read on the event loop: some 20 ms."""
_PREFIX = '"*'
_EARLIEST = -(2**63)
"""A time before all others."""
Found = TypeVar("Found")


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

    async def versions_before(self, entry_id: str, version: int, limit: int) -> tuple[MemoryEntry, ...]:
        """An entry as it was before a version, latest first, each time with the links it showed then."""
        bindings = {"id": entry_id, "version": version, "limit": max(0, limit)}
        return tuple(map(entry_of, self._database.reader.rows("entry_versions", bindings)))

    async def was_linked(self, entry_id: str, target_id: str, made_by: str) -> bool:
        """Whether an earlier version of an entry showed a link to another that a rule made, and that is not erased."""
        bindings = {"id": entry_id, "target_id": target_id, "made_by": made_by}
        return self._database.reader.row("was_linked", bindings) is not None

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
        bindings = {
            "space": space,
            "text_key": text_key,
            "caller_key": origin.caller_key,
            "thread_id": origin.thread_id,
            "timestamp": timestamp,
            "limit": max(0, limit),
            "content": like.content if like else None,
            "project": like.project if like else None,
            "type": like.type if like else None,
            "visibility": like.visibility.value if like else None,
            "speaker": like.origin.speaker if like else None,
        }
        return tuple(map(entry_of, self._database.reader.rows("entries_of_text", bindings)))

    async def living_ids(self, ids: Collection[str], audience: Audience) -> frozenset[str]:
        """Those of the ids whose entries are there, not softly deleted, and may be told to the audience."""
        rows = self._database.reader.rows("living_ids", {"ids": to_json(sorted(ids))} | audience_bindings(audience))
        return frozenset(id_ for (id_,) in rows)

    async def hidden_links(self, entry_id: str) -> tuple[Link, ...]:
        """The links of an entry that nobody is shown, because what they lead to is softly deleted."""
        rows = self._database.reader.rows("hidden_links", {"id": entry_id})
        return tuple(itertools.starmap(Link, rows))

    async def entry_pieces(self, entry_id: str) -> tuple[MemoryEntry, ...]:
        """The whole text an entry belongs to, piece by piece, softly deleted ones too."""
        return tuple(map(entry_of, self._database.reader.rows("entry_pieces", {"id": entry_id})))

    async def entries(self, query: EntryQuery) -> Page[MemoryEntry]:
        """A page of entries, newest first."""
        if query.limit > ROWS_INLINE:
            return await self._database.scan_long(_entries, query)
        return await self._scan(lambda reader: _entries(reader, query), _words(query))

    async def matching_ids(self, query: EntryQuery) -> Collection[str] | None:
        """The ids of living entries a filter admits; None when it admits all of the Space."""
        if query.audience.everything and not query.narrows:
            return None
        return await self._scan(lambda reader: _matching_ids(reader, query), _words(query))

    async def search_entries(self, match: str, terms: Sequence[str], query: EntryQuery, limit: int) -> WordHits:
        """Living entries whose words fit, within the filter, best first."""
        if not match or limit <= 0 or _finds_nothing(query):
            return WordHits((), 0.0)
        asked = match_any(Query(terms=tuple(terms))) + _words(query)
        return await self._scan(lambda reader: _search_entries(reader, match, tuple(terms), query, limit), asked)

    async def entries_after(self, space: str, seq: int, limit: int) -> tuple[MemoryEntry, ...]:
        """Entries changed after a place in the order, softly deleted ones too, oldest change first."""
        rows = self._database.reader.rows("entries_after", {"space": space, "seq": seq, "limit": max(0, limit)})
        return tuple(map(entry_of, rows))

    async def _scan(self, read: Callable[[Reader], Found], words: str) -> Found:
        """What a read finds that looks for words: a single CJK character costs as much as all words that hold it."""
        if words.count(_PREFIX) > PREFIXES_INLINE or len(words) > LETTERS_INLINE:
            return await self._database.scan_long(read)
        return await self._database.scan("entry", read)


def _words(query: EntryQuery) -> str:
    """The MATCH text of the filter."""
    return match_all(query_terms(query.text))


def _filter(query: EntryQuery) -> dict[str, Any]:
    return {
        "space": query.space,
        "level": query.level.value if query.level else None,
        "type": query.type,
        "source": query.source,
        "tag": query.tag,
        "project": query.project,
        "link_target": query.link_target,
        "since": _EARLIEST if query.since is None else min(query.since, LATEST),
        "until": _until(query),
        "match": _words(query),
        "thread": query.thread,
        **audience_bindings(query.audience),
    }


def _of_kind_only(query: EntryQuery) -> bool:
    """Whether an index tells all that is asked of a living entry."""
    return query == EntryQuery(
        query.space,
        query.audience,
        query.level,
        query.type,
        query.tag,
        query.source,
        before=query.before,
        limit=query.limit,
    )


def _finds_nothing(query: EntryQuery) -> bool:
    """A text without words is in no entry, and what is softly deleted shows no link."""
    return bool(query.text and not query_terms(query.text)) or bool(query.deleted and query.link_target)


def _begins(query: EntryQuery) -> str:
    """With what a statement begins: whatever leaves the fewest entries to look at."""
    if query.link_target:
        return "of_target"
    if query.text:
        return "of_deleted_text" if query.deleted else "of_text"
    return "of_project" if query.project else ""


_PAGES = {
    "": ("entries_page", "entries_total"),
    "of_project": ("entries_page_of_project", "entries_total_of_project"),
    "of_target": ("entries_page_of_target", "entries_total_of_target"),
    "of_text": ("entries_page_of_text", "entries_total_of_text"),
    "of_deleted_text": ("entries_page_of_deleted_text", "entries_total_of_deleted_text"),
}
_IDS_OF_TAG = "matching_ids_of_tag"
_IDS = {
    "of_project": "matching_ids_of_project",
    "of_target": "matching_ids_of_target",
    "of_text": "matching_ids_of_text",
}


def _entries(reader: Reader, query: EntryQuery) -> Page[MemoryEntry]:
    if _finds_nothing(query):
        return Page((), "", 0)
    before_at, before_id = min(query.before or (LATEST, ""), (_until(query) + 1, ""))
    bindings = _filter(query) | {
        "with_deleted": query.include_deleted or query.deleted,
        "with_living": not query.deleted,
        "before_at": before_at,
        "before_id": before_id,
        "limit": max(0, query.limit) + 1,
    }
    page, count = _PAGES[_begins(query)]
    if query.audience.everything and _of_kind_only(query):
        count = "living_total"
    found, total = reader.rows(page, bindings), reader.rows(count, bindings)[0][0]
    return page_of(tuple(map(entry_of, found)), query.limit, total, lambda entry: (entry.timestamp, entry.id))


def _until(query: EntryQuery) -> int:
    return LATEST - 1 if query.until is None else min(query.until, LATEST - 1)


def _matching_ids(reader: Reader, query: EntryQuery) -> Collection[str]:
    if query.deleted or _finds_nothing(query):
        return frozenset()
    bindings = _filter(query) | own_bindings(query.audience)
    statement = _ids_statement(query)
    if statement == _IDS_OF_TAG:
        bindings |= {"begins_with": query.tag, "tag": ""}
    return frozenset(itertools.chain.from_iterable(reader.rows(statement, bindings)))


def _ids_statement(query: EntryQuery) -> str:
    begins = _begins(query)
    if begins:
        return _IDS[begins]
    if query.tag:
        return _IDS_OF_TAG
    if not query.audience.everything:
        return "matching_ids_heard"
    return "matching_ids" if _of_kind_only(query) else "matching_ids_narrowed"


def _search_entries(reader: Reader, match: str, terms: tuple[str, ...], query: EntryQuery, limit: int) -> WordHits:
    frequency = _frequencies(reader, terms)
    if len(terms) > RAREST_TERMS and match == match_any(Query(terms=terms)):
        # Ranking by the rarest terms alone finds the same and does not walk through every common word.
        match = match_any(Query(terms=terms), rarest(terms, frequency))
        if not match:
            return WordHits((), 0.0)
    statement = "search_entries_among" if query.link_target or query.text else "search_entries"
    rows = reader.rows(statement, _filter(query) | {"words": match, "limit": limit})
    if not rows:
        return WordHits((), 0.0)
    texts = reader.rows("indexed_entries")[0][0]
    hits = tuple(WordHit(id_, rank) for id_, rank in rows)
    return WordHits(hits, query_coverage(hits[0].rank, frequency.values(), texts), tuple(frequency.items()))


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
