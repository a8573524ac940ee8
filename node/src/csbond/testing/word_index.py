"""Full text search over rows in memory: the same terms and the same ranking as the database, but no stemming."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from csbond.protocol.memory.fusion import BM25_K1

_B = 0.75
"""How much a long text is held against its words: the value FTS5 has."""
_LEAST_WEIGHT = 1e-6
_PHRASE = re.compile(r'"((?:[^"]|"")*)"(\*?)')

Key = TypeVar("Key", bound=Hashable)
Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that follow each other; with `prefix`, the last one only begins so."""

    terms: Terms
    prefix: bool = False

    def count(self, text: Terms) -> int:
        """How often the phrase occurs in a text."""
        return sum(self._at(text, start) for start in range(len(text) - len(self.terms) + 1))

    def _at(self, text: Terms, start: int) -> bool:
        end = start + len(self.terms)
        if not self.prefix:
            return text[start:end] == self.terms
        return text[start : end - 1] == self.terms[:-1] and text[end - 1].startswith(self.terms[-1])


def phrases_of(match: str) -> tuple[list[Phrase], bool]:
    """The phrases of a MATCH text of `protocol.memory.words`, and whether all of them are asked for."""
    phrases = [Phrase(tuple(quoted.replace('""', '"').split()), bool(star)) for quoted, star in _PHRASE.findall(match)]
    return phrases, " AND " in _PHRASE.sub('""', match)


def ranked(match: str, texts: Mapping[Key, Terms]) -> list[tuple[Key, float]]:
    """The texts that fit, best first, with their BM25 rank as a positive number."""
    phrases, all_of_them = phrases_of(match)
    counts = {key: [phrase.count(text) for phrase in phrases] for key, text in texts.items()}
    weights = [_weight(sum(1 for found in counts.values() if found[i]), len(texts)) for i in range(len(phrases))]
    length = sum(map(len, texts.values())) / len(texts) if texts else 0.0
    hits = [
        (key, sum(_score(weight, count, len(texts[key]), length) for weight, count in zip(weights, found, strict=True)))
        for key, found in counts.items()
        if (all(found) if all_of_them else any(found))
    ]
    return sorted(hits, key=lambda hit: -hit[1])


def frequency(match: str, texts: Mapping[Key, Terms]) -> int:
    """In how many texts a MATCH text fits."""
    return len(ranked(match, texts))


def _weight(frequency: int, texts: int) -> float:
    return max(_LEAST_WEIGHT, math.log((texts - frequency + 0.5) / (frequency + 0.5)))


def _score(weight: float, count: int, length: int, average: float) -> float:
    return weight * count * (BM25_K1 + 1) / (count + BM25_K1 * (1 - _B + _B * length / average)) if count else 0.0
