"""How hits by words and hits by meaning become one ranking (MEM-002 §2.2).

Each side is scaled to 0…1 between its worst and best hit. Words count in full only when the best of
them covers enough of the query: a stray match of one common word must not outrank a text that says
the same in other words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COVERAGE_GATE = 0.2
"""The coverage from which words count in full; 0.15 favours wording, 0.25 favours meaning."""

BM25_K1 = 1.2
"""The saturation FTS5 ranks with; `K1 + 1` times its weight is the most a term can add to a rank."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A hit of one side; more is better (BM25 as a positive number, or the cosine)."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Fused:
    """A hit of the search: `score` is 0…1 within this answer, the other two are what each side gave it."""

    id: str
    score: float
    words: float | None
    cosine: float | None


def query_coverage(best: float, frequencies: Iterable[int], texts: int) -> float:
    """How much of a query the best hit by words covers, 0…1.

    `best` is its BM25 as a positive number, `frequencies` in how many of the `texts` each term of the
    query occurs; a term that occurs nowhere lowers the coverage most.
    """
    possible = sum(_weight(frequency, texts) for frequency in frequencies) * (BM25_K1 + 1)
    return min(1.0, max(0.0, best / possible)) if possible > 0 else 0.0


def _weight(frequency: int, texts: int) -> float:
    """The inverse document frequency as FTS5 takes it, never below its floor."""
    return max(1e-6, math.log((texts - frequency + 0.5) / (frequency + 0.5)))


def fuse(
    words: Sequence[Scored], vectors: Sequence[Scored], coverage: float, tau: float = COVERAGE_GATE
) -> list[Fused]:
    """The hits of both sides, best first; equal ones in the order of their ids.

    `coverage` is that of the query by its best hit by words; from `tau` on, words count in full. With
    one side empty the other ranks alone.
    """
    by_words, by_meaning = _scaled(words), _scaled(vectors)
    share = (1.0 if tau <= 0 else min(1.0, coverage / tau)) if by_meaning else 1.0
    whole = (1.0 if by_meaning else 0.0) + (share if by_words else 0.0)
    words_given = {hit.id: hit.score for hit in words}
    cosines_given = {hit.id: hit.score for hit in vectors}
    fused = [
        Fused(
            id=id_,
            score=(by_meaning.get(id_, 0.0) + share * by_words.get(id_, 0.0)) / whole,
            words=words_given.get(id_),
            cosine=cosines_given.get(id_),
        )
        for id_ in by_words | by_meaning
    ]
    return sorted(fused, key=lambda hit: (-hit.score, hit.id))


def _scaled(hits: Sequence[Scored]) -> dict[str, float]:
    """Scores between the worst (0) and the best (1) of these hits; all 1 when they are equal."""
    if not hits:
        return {}
    lowest = min(hit.score for hit in hits)
    span = max(hit.score for hit in hits) - lowest
    return {hit.id: (hit.score - lowest) / span if span > 0 else 1.0 for hit in hits}
