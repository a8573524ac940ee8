"""How hits by words and hits by meaning become one ranking (MEM-002 §2.2).

Both sides speak in log odds. Meaning gives those of its cosine, by the calibration of its model. Words add to them for
the share of the query that a hit covers, and nothing at all below a floor: a stray match of one common word must not
outrank a text that says the same in other words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from csbond.protocol.memory.calibration import Calibration, relevance

STRAY_COVERAGE = 0.07
"""The share of a query up to which words say nothing: one of its commoner words, found by chance."""

WORDS_WEIGHT = 27.0
"""Log odds that words add for the whole of a query; decision 0015 has what was measured."""

BM25_K1 = 1.2
"""The saturation FTS5 ranks with; `K1 + 1` times its weight is the most a term can add to a rank."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A hit of one side; more is better (BM25 as a positive number, or the cosine)."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Fused:
    """A hit of the search."""

    id: str
    score: float
    """From 0 to 1, how likely it is what was asked for; never more than that of a hit before it."""
    order: float
    """What it is ranked by: log odds of both sides together, or the coverage when there are words alone."""
    words: float | None
    """Its BM25, when it was found by words."""
    coverage: float
    """The share of the query that its words cover, 0…1."""
    cosine: float | None
    """How near it is in meaning, when it is among the nearest."""


def query_coverage(best: float, frequencies: Iterable[int], texts: int) -> float:
    """How much of a query the best hit by words covers, 0…1.

    `best` is its BM25 as a positive number, `frequencies` in how many of the `texts` each term of the
    query occurs; a term that occurs nowhere lowers the coverage most. In a memory of a few texts nearly every term is
    in half of them and FTS5 gives it no weight: how terms share a query is therefore told by weights that stay above 0.
    """
    known = list(frequencies)
    possible = sum(_weight(frequency, texts) for frequency in known if frequency > 0) * (BM25_K1 + 1)
    if possible <= 0:
        return 0.0
    there = sum(_share(frequency, texts) for frequency in known if frequency > 0)
    return min(1.0, max(0.0, best / possible)) * there / sum(_share(frequency, texts) for frequency in known)


def _weight(frequency: int, texts: int) -> float:
    """The inverse document frequency as FTS5 takes it, never below its floor."""
    return max(1e-6, math.log((texts - frequency + 0.5) / (frequency + 0.5)))


def _share(frequency: int, texts: int) -> float:
    """The inverse document frequency without a floor: above 0 for a term of every text."""
    return math.log1p((max(texts, frequency) - frequency + 0.5) / (frequency + 0.5))


def counted(coverage: float) -> float:
    """How much of a coverage counts beside meaning: what is beyond the floor."""
    return max(0.0, coverage - STRAY_COVERAGE)


def fuse(
    words: Sequence[Scored], vectors: Sequence[Scored], coverage: float, calibration: Calibration
) -> Iterator[Fused]:
    """The hits of both sides, best first, each made when it is asked for; equal ones by their words, then by their ids.

    `coverage` is that of the query by its best hit by words; the others cover in proportion to their rank. A hit by
    words that is not among the nearest is taken to lie as far as the last of them. With one side empty the other
    ranks alone.
    """
    ranks = {hit.id: hit.score for hit in words}
    cosines = {hit.id: hit.score for hit in vectors}
    best, last = max(ranks.values(), default=0.0), min(cosines.values(), default=None)
    places: list[tuple[float, float, str, float]] = []
    for id_ in ranks | cosines:
        covered = coverage * max(0.0, ranks.get(id_, 0.0)) / best if best > 0 else 0.0
        near = cosines.get(id_, last)
        order = covered if near is None else calibration.log_odds(near) + WORDS_WEIGHT * counted(covered)
        places.append((-order, -ranks.get(id_, 0.0), id_, covered))
    places.sort()
    shown = 1.0
    for order, _, id_, covered in places:
        shown = min(shown, relevance(calibration, cosines.get(id_, last), covered))
        yield Fused(id_, shown, -order, ranks.get(id_), covered, cosines.get(id_))
