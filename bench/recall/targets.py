"""What the search promises to find with the default embedder, set by set, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.recall.ask import FUSION, VECTORS, WORDS
from bench.recall.data import DIALOGUES, HALVES, PAIR_SETS, PARAGRAPHS
from bench.recall.measure import Figures
from bench.recall.score import NDCG10, R1, R5, R10

__all__ = ["BEYOND_PARTS", "FLOORS", "HEADLINES", "SLACK", "Target", "targets"]

PAIRS = tuple(f"{half} {name}" for half in HALVES for name in PAIR_SETS)

HEADLINES: dict[str, str] = {PARAGRAPHS: R1, **dict.fromkeys(PAIRS, R5)}
"""The metric by which a set is judged; there the fusion is at least the better part less the slack."""
SLACK = 0.02
BEYOND_PARTS: dict[str, tuple[str, ...]] = {DIALOGUES: (R10, NDCG10)}
"""The metrics in which the fusion is better than either part."""
FLOORS: tuple[tuple[str, str, float], ...] = (
    (DIALOGUES, R10, 0.64),
    *((f"{half} zh", R5, 0.80) for half in HALVES),
    *((f"{half} en", R5, 0.70) for half in HALVES),
)
"""(set, metric, at least): of the fusion, on its own."""


@dataclass(frozen=True, slots=True)
class Target:
    """One promise, and what was seen."""

    promise: str
    bound: float
    seen: float
    strict: bool = False
    """Whether the bound itself is too little."""

    @property
    def kept(self) -> bool:
        """Whether enough was seen."""
        return self.seen > self.bound if self.strict else self.seen >= self.bound


def targets(figures: Figures) -> Iterator[Target]:
    """Every promise about the sets that were asked."""
    for name, metric, floor in FLOORS:
        if name in figures:
            yield Target(f"{name}: {metric} of the fusion", floor, _seen(figures, name, FUSION, metric))
    for name, metrics in BEYOND_PARTS.items():
        for metric in metrics if name in figures else ():
            promise = f"{name}: {metric} of the fusion, more than the better part"
            yield Target(
                promise, _better_part(figures, name, metric), _seen(figures, name, FUSION, metric), strict=True
            )
    for name, metric in HEADLINES.items():
        if name in figures:
            promise = f"{name}: {metric} of the fusion, the better part less {SLACK}"
            # Rounded: a difference of exactly the slack is none too many, whatever floats make of it.
            bound = round(_better_part(figures, name, metric) - SLACK, 9)
            yield Target(promise, bound, _seen(figures, name, FUSION, metric))


def _better_part(figures: Figures, name: str, metric: str) -> float:
    return max(_seen(figures, name, way, metric) for way in (WORDS, VECTORS))


def _seen(figures: Figures, name: str, way: str, metric: str) -> float:
    return round(figures[name].ways[way][metric], 9)
