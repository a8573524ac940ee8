"""Every collection is remembered, every question asked in every way, and the rankings are marked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.recall.ask import WAYS
from bench.recall.data import Collection, Question
from bench.recall.ingest import Filled, filled
from bench.recall.score import DEPTH, Marks, marks, mean_marks
from csbond.flows.ports import Embedder

__all__ = ["Figures", "Result", "measure"]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one set of questions."""

    questions: int
    entries: int
    """In the memories they were put to, all together."""
    ways: Mapping[str, Marks]


Figures = Mapping[str, Result]
"""A result for each set of questions, in the order they were asked."""


async def measure(
    collections: Iterable[Collection], embedder: Embedder, folder: Path, tell: Callable[[str], None]
) -> Figures:
    """Ask every question; a set with questions to several memories is one mean over all of its questions."""
    marked: dict[str, dict[str, list[Marks]]] = defaultdict(lambda: {way: [] for way in WAYS})
    entries: dict[str, int] = defaultdict(int)
    for number, collection in enumerate(collections):
        tell(f"{collection.name}: {len(collection.memories)} memories")
        async with filled(collection, embedder, folder / str(number)) as memory:
            for name, questions in collection.questions.items():
                entries[name] += len(set(memory.entries.values()))
                for way, of_questions in (await _asked(memory, questions)).items():
                    marked[name][way] += of_questions
    return {
        name: Result(
            questions=max(map(len, ways.values())),
            entries=entries[name],
            ways={way: mean_marks(of_questions) for way, of_questions in ways.items()},
        )
        for name, ways in marked.items()
        if any(ways.values())
    }


async def _asked(memory: Filled, questions: Iterable[Question]) -> dict[str, list[Marks]]:
    asked: dict[str, list[Marks]] = {way: [] for way in WAYS}
    for question in questions:
        wanted = {memory.entries[key] for key in question.wanted}
        for way, ask in WAYS.items():
            asked[way].append(marks(await ask(memory.world, question.text, DEPTH), wanted))
    return asked
