"""Why a search found what it found, for who asks (MEM-003 §3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from csbond.protocol.memory.calibration import Calibration, probability
from csbond.protocol.memory.fusion import Fused, counted
from csbond.protocol.memory.words import folded, index_text

_STEM_LEAST = 3
_ENDING = 2
"""Letters at the end of a word that may differ: the index knows words by their stems."""
_PLACES = 6

Terms = tuple[tuple[str, int | None], ...]
"""Each term of a query, and in how many memories it is; None for who may not be told that."""


def explained(hit: Fused, text: str, terms: Terms, calibration: Calibration | None) -> Mapping[str, Any]:
    """What spoke for a hit: its words, its meaning, how much the words counted, and what came of it.

    `words` or `meaning` is null when that side did not find it; `in` says how many memories hold a term, to the owner
    alone, since among them are some that nobody else is told of. `order` is
    what the ranking goes by, `score` what is shown. Without a calibration only words were compared.
    """
    held = [
        {"term": term} if number is None else {"term": term, "in": number}
        for term, number in terms
        if _holds(text, term)
    ]
    return {
        "words": None
        if hit.words is None
        else {"rank": _short(hit.words), "coverage": _short(hit.coverage), "terms": held},
        "meaning": None
        if hit.cosine is None or calibration is None
        else {"cosine": _short(hit.cosine), "p": _short(probability(calibration.log_odds(hit.cosine)))},
        "gate": _short(hit.coverage if calibration is None else counted(hit.coverage)),
        "order": _short(hit.order),
        "score": _short(hit.score),
    }


def _holds(text: str, term: str) -> bool:
    """Whether a text holds a term, as near as it can be told without the stems of the index."""
    if not term.isascii():
        return folded(term) in folded(text)
    begin = term[: max(_STEM_LEAST, len(term) - _ENDING)]
    return any(word.startswith(begin) for word in _words(text))


def _words(text: str) -> Iterable[str]:
    return index_text(text).split()


def _short(number: float) -> float:
    return round(number, _PLACES)
