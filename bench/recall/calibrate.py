"""Fits what a score means to what a search really shows, and checks it on the half that nothing was fitted to.

Prints the two numbers of `protocol/memory/calibration.py` for an embedder, the default one unless another is named,
from the development half, and how the scores of the frozen half compare with how often they were right. Ends with 0
when they agree, 1 when they do not, 2 when it cannot measure.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.recall.ask import OWNER_AUDIENCE
from bench.recall.data import Collection, pair_collections
from bench.recall.ingest import filled
from bench.recall.score import DEPTH
from csbond.engines.embedder_choice import EmbedderSettings, load_embedder
from csbond.engines.embedding_model import ENCODERS
from csbond.flows.ports import Embedder
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.protocol.memory.calibration import Calibration, probability

__all__ = ["WIDEST", "Bin", "Shown", "bins", "fitted", "shown"]

WIDEST = 0.15
"""How far the mean score of a bin may be from the share of its hits that were wanted."""
_BINS = 5
_LEAST = 20
"""Hits of a bin that is judged; a smaller one is judged together with the bin below it."""
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Shown:
    """One result of a search, and whether it was what the question wants."""

    score: float
    cosine: float | None
    wanted: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """Results of like scores."""

    hits: int
    score: float
    precision: float

    @property
    def agrees(self) -> bool:
        """Whether the scores say how often the results were right."""
        return abs(self.score - self.precision) <= WIDEST


async def shown(collection: Collection, embedder: Embedder, folder: Path) -> list[Shown]:
    """Every result of every question to a collection."""
    results: list[Shown] = []
    async with filled(collection, embedder, folder) as memory:
        for question in (each for asked in collection.questions.values() for each in asked):
            wanted = {memory.entries[key] for key in question.wanted}
            answer = await search_memory(memory.world, MemorySearch(question.text, limit=DEPTH), OWNER_AUDIENCE)
            results += [Shown(found.score, found.cosine, found.entry.id in wanted) for found in answer.results]
    return results


def fitted(results: Iterable[Shown]) -> Calibration:
    """The curve that makes the results as likely as they were (a logistic regression by Newton's method)."""
    pairs = [(each.cosine, float(each.wanted)) for each in results if each.cosine is not None]
    slope, offset = 0.0, 0.0
    for _ in range(_ROUNDS):
        first = second = square = mixed = plain = 1e-9
        for cosine, wanted in pairs:
            likely = probability(slope * cosine + offset)
            weight, missed = likely * (1 - likely), wanted - likely
            first, second = first + missed * cosine, second + missed
            square, mixed, plain = square + weight * cosine * cosine, mixed + weight * cosine, plain + weight
        whole = square * plain - mixed * mixed
        slope += (plain * first - mixed * second) / whole
        offset += (square * second - mixed * first) / whole
    return Calibration(slope, -offset / slope)


def bins(results: Sequence[Shown]) -> Iterator[Bin]:
    """The results by score from the highest down, in fifths of the scale, small ones joined to the next below."""
    held: list[Shown] = []
    for edge in range(_BINS - 1, -1, -1):
        held += [each for each in results if min(_BINS - 1, math.floor(each.score * _BINS)) == edge]
        if len(held) >= _LEAST or (edge == 0 and held):
            yield Bin(
                len(held), sum(each.score for each in held) / len(held), sum(each.wanted for each in held) / len(held)
            )
            held = []


async def _measured(embedder: Embedder, folder: Path) -> int:
    try:
        halves = [await shown(each, embedder, folder / each.name) for each in pair_collections()]
    finally:
        await embedder.close()
    curve = fitted(halves[0])
    print(f"{embedder.model_id}: slope={curve.slope:.1f}, middle={curve.middle:.3f} fit the development half")
    judged = list(bins(halves[1]))
    for each in judged:
        verdict = "kept  " if each.agrees else "MISSED"
        print(f"{verdict}  {each.hits:>5} hits: score {each.score:.2f}, right {each.precision:.2f}")
    return 0 if all(each.agrees for each in judged) else 1


def main(arguments: list[str] | None = None) -> int:
    """Fit, check, and say so."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall.calibrate", description=__doc__)
    parser.add_argument("embedder", nargs="?", choices=list(ENCODERS), default="use", help="whose scores; default: use")
    loaded = load_embedder(EmbedderSettings(wish=parser.parse_args(arguments).embedder))
    if loaded.embedder is None:
        print(f"Nothing was measured: {loaded.reason}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="csbond-bench-") as folder:
        return asyncio.run(_measured(loaded.embedder, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
