"""How good a ranking is, from 0 to 1: what share of the wanted it shows, and how near the top."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["DEPTH", "METRICS", "marks", "mean_marks", "ndcg_at", "recall_at"]

DEPTH = 10
"""Results asked for."""
R1, R5, R10, NDCG10 = "R@1", "R@5", "R@10", "nDCG@10"
METRICS = (R1, R5, R10, NDCG10)

Marks = Mapping[str, float]
"""A value for each metric."""


def recall_at(depth: int, ranked: Sequence[str], wanted: Collection[str]) -> float:
    """The share of the wanted among the first `depth`."""
    return len(set(ranked[:depth]) & set(wanted)) / len(set(wanted))


def ndcg_at(depth: int, ranked: Sequence[str], wanted: Collection[str]) -> float:
    """The discounted gain of the wanted among the first `depth`, by that of the best ranking there is."""
    gains = (_gain(place) for place, id_ in enumerate(ranked[:depth]) if id_ in wanted)
    return sum(gains) / sum(_gain(place) for place in range(min(depth, len(set(wanted)))))


def marks(ranked: Sequence[str], wanted: Collection[str]) -> Marks:
    """Every metric for one question; a ranking that shows an entry twice is refused with ValueError."""
    if len(set(ranked)) != len(ranked):
        raise ValueError("a ranking shows an entry twice")
    recalls = {R1: recall_at(1, ranked, wanted), R5: recall_at(5, ranked, wanted), R10: recall_at(10, ranked, wanted)}
    return recalls | {NDCG10: ndcg_at(DEPTH, ranked, wanted)}


def mean_marks(of_questions: Iterable[Marks]) -> Marks:
    """The mean over questions, each counting the same; ValueError when there is none."""
    asked = list(of_questions)
    if not asked:
        raise ValueError("nothing was asked")
    return {metric: math.fsum(each[metric] for each in asked) / len(asked) for metric in METRICS}


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)
