"""Memory is searched by words and by meaning, filtered where the rows are, ranked as one list (MEM-002 §2.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

from csbond.flows.link_targets import is_told, told_entries
from csbond.flows.note_use import note_use
from csbond.flows.ports import EntryQuery, WordHits
from csbond.flows.read_memory import entry_query
from csbond.flows.turn import Found, Recall
from csbond.flows.world import World
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.calibration import calibration_of
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.explanation import explained
from csbond.protocol.memory.filter import EntryFilter, admits, told_filter
from csbond.protocol.memory.fusion import Fused, Scored, fuse
from csbond.protocol.memory.rights import may_write
from csbond.protocol.memory.visibility import Audience, audience_of
from csbond.protocol.memory.words import Query, match_any, query_terms, says_something
from csbond.protocol.messages.caller import Caller

DEPTH = 100
"""Hits of each side that are ranked: beyond them a hit of one side alone never comes first."""
LIMIT_DEFAULT = 10
"""Results when a search names no number (MEM-003 §3.1)."""
LIMIT_MAX = 100
"""Results of one search at most."""


@dataclass(frozen=True, slots=True)
class MemorySearch:
    """What to look for; results below the threshold (0…1, by the calibration of the model) are left out."""

    text: str
    filter: EntryFilter = field(default_factory=EntryFilter)
    limit: int = LIMIT_DEFAULT
    threshold: float = 0.0
    explain: bool = False
    """Whether each result says why it was found."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What was found, best first, and whether meaning took part."""

    results: tuple[Found, ...]
    semantic: bool
    semantic_through: int
    """Entries up to this place in the order were searched by meaning."""
    reason: str = ""
    """Why meaning took no part."""
    model: str = ""
    """Whose vectors were compared, when meaning took part."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    hits: Sequence[Scored]
    reason: str = ""


async def search_memory(world: World, search: MemorySearch, audience: Audience, *, counts: bool = True) -> SearchAnswer:
    """The best entries the audience may be told; by words alone when there is no embedder or it fails.

    Each is used by it where it `counts`: for somebody whose memory this is (`rights.may_write`).
    Nothing but punctuation finds nothing: its meaning would be as near to every entry as to any other.
    """
    if not says_something(search.text):
        return _answer(world, (), world.no_embedder if world.embedder is None else "")
    wanted = told_filter(search.filter, audience)
    if not await is_told(world, wanted.link_target, audience):
        return _answer(world, (), world.no_embedder if world.embedder is None else "")
    query = entry_query(wanted, audience)
    words, meaning = await asyncio.gather(
        _by_words(world, query_terms(search.text), query), _by_meaning(world, search.text, query)
    )
    calibration = calibration_of(world.embedder.model_id if world.embedder else "")
    ranked = fuse([Scored(hit.id, hit.rank) for hit in words.hits], meaning.hits, words.coverage, calibration)
    good = takewhile(lambda hit: hit.score >= search.threshold, ranked)
    there = await _first_told(world, good, wanted, audience, search.limit)
    hits = [hit for hit, _ in there]
    told = await told_entries(world, [entry for _, entry in there], audience)
    by_meaning = {hit.id for hit in hits if hit.cosine is not None}
    if counts:
        note_use(world, [entry for _, entry in there], found=by_meaning)
    found = tuple(Found(entry, hit.score, hit.cosine) for entry, hit in zip(told, hits, strict=True))
    if search.explain:
        terms = words.terms if audience.everything else tuple((term, None) for term, _ in words.terms)
        compared = calibration if meaning.hits else None
        found = tuple(
            replace(each, why=explained(hit, each.entry.content, terms, compared))
            for each, hit in zip(found, hits, strict=True)
        )
    return _answer(world, found, meaning.reason)


async def _first_told(
    world: World, hits: Iterator[Fused], wanted: EntryFilter, audience: Audience, limit: int
) -> list[tuple[Fused, MemoryEntry]]:
    """The first so many hits that are there and may be told, with their entries; hardly any is not."""
    told: list[tuple[Fused, MemoryEntry]] = []
    while len(told) < limit and (some := list(islice(hits, limit - len(told)))):
        entries = await world.ledger.entries_by_id([hit.id for hit in some])
        there = [(hit, entries[hit.id]) for hit in some if hit.id in entries]
        told += [(hit, entry) for hit, entry in there if admits(wanted, audience, entry)]
    return told


def _answer(world: World, found: tuple[Found, ...], reason: str) -> SearchAnswer:
    if reason or world.embedder is None:
        return SearchAnswer(found, not reason, 0, reason)
    return SearchAnswer(found, True, world.signals.indexing.through, model=world.embedder.model_id)


def recall_for(world: World, caller: Caller, thread_id: str) -> Recall:
    """The search of one caller in one thread, as a skill is given it."""

    async def recall(text: str, limit: int) -> Sequence[Found]:
        search = MemorySearch(text, limit=limit)
        found = await search_memory(world, search, audience_of(caller, thread_id), counts=may_write(caller))
        return found.results

    return recall


async def _by_words(world: World, terms: Query, query: EntryQuery) -> WordHits:
    if not terms:
        return WordHits((), 0.0)
    return await world.ledger.search_entries(match_any(terms), terms.terms, query, DEPTH)


async def _by_meaning(world: World, text: str, query: EntryQuery) -> _Meaning:
    if world.embedder is None or world.nearest is None:
        return _Meaning((), world.no_embedder)
    try:
        vectors = await world.embedder.embed([text], "query")
    except CsbError as fault:
        world.journal.failed("search_memory", fault)
        return _Meaning((), fault.reason)
    nearest = await world.nearest.nearest(query, vectors[0], DEPTH)
    return _Meaning([Scored(id_, cosine) for id_, cosine in nearest])
