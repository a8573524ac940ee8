"""Whoever is compared takes turns, in small portions and in every round, so that what disturbs one disturbs all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.memory.corpus import Corpus
from bench.memory.figures import Figures, Row, Sample
from bench.memory.plan import BATCH
from bench.memory.stores import Store
from bench.memory.texts import documents
from bench.transport.load import Spoiled

__all__ = ["PORTIONS", "Part", "Subject", "Turn", "take_turns"]

PORTIONS = 2
"""Of each turn of a round."""
FILLED = 5_000
"""Entries a store is given at a time, when it only matters that they are there."""


@dataclass(frozen=True, slots=True)
class Part:
    """What came of one portion."""

    calls: Sequence[float]
    """Seconds each."""
    seconds: float
    done: int
    found: Sequence[Sequence[int]] = ()
    wanted: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What one does in a round."""

    row: Row
    count: int
    do: Callable[[int], Part]
    """Does so many."""


def take_turns(figures: Figures, number: int, turns: Iterable[Turn]) -> None:
    """One round: every turn in portions, one after the other."""
    parts: dict[Row, list[Part]] = defaultdict(list)
    ready = list(turns)
    for _ in range(PORTIONS):
        for turn in ready:
            parts[turn.row].append(turn.do(max(1, turn.count // PORTIONS)))
    for row, of_row in parts.items():
        calls = tuple(1000 * call for part in of_row for call in part.calls)
        done, seconds = sum(part.done for part in of_row), sum(part.seconds for part in of_row)
        figures.samples.append(Sample(row, number, calls, done / seconds, _right(of_row)))


def _right(parts: Sequence[Part]) -> float | None:
    pairs = [pair for part in parts for pair in zip(part.found, part.wanted, strict=True)]
    return sum(wanted in found for found, wanted in pairs) / len(pairs) if pairs else None


class Subject:
    """A store, and how far it has come with the documents and the questions."""

    def __init__(self, store: Store, corpus: Corpus, among: int, told: int = 0) -> None:
        self.store = store
        self._corpus = corpus
        self._among = among
        self._told = told
        self._asked = 0
        self._read: dict[str, int] = defaultdict(int)

    def add(self, count: int, *, batch: int = 1, writers: int = 1) -> Part:
        """Add the next documents, until they can be found."""
        answer = self.store.ask(do="add", first=self._told, count=count, batch=batch, writers=writers)
        self._told += count
        return Part(answer["calls"], answer["seconds"], count)

    def search(self, count: int, narrowed: str = "") -> Part:
        """Ask the next questions; Spoiled when something is found that the filter leaves out."""
        line = {"among": self._among, "first": self._asked, "count": count, "filter": narrowed}
        asked = [each.question.document for each in self._corpus.asked(self._among, self._asked, count)]
        answer = self.store.ask(do="search", **line)
        self._asked += count
        calls, found = answer["calls"], answer["found"]
        if not narrowed:
            return Part(calls, sum(calls), count, found, asked)
        self.check(narrowed, found)
        return Part(calls, sum(calls), count)

    def fill(self, entries: int) -> None:
        """Add, many in a request, until there are so many."""
        while self._told < entries:
            self.add(min(FILLED, entries - self._told), batch=BATCH)

    def read(self, count: int, way: str) -> Part:
        """Read the next entries by their ids."""
        answer = self.store.ask(do="get", first=self._read[way], count=count, way=way)
        self._read[way] += count
        return Part(answer["calls"], sum(answer["calls"]), count)

    def check(self, narrowed: str, found: Sequence[Sequence[int]]) -> None:
        """Nothing, when all that was found is of one kind; `Spoiled` otherwise."""
        numbers = {number for hits in found for number in hits}
        kinds = {getattr(document, narrowed) for number in numbers for document in documents(number, 1)}
        if len(kinds) != 1:
            raise Spoiled(f"{self.store.name} found {kinds} where one {narrowed} was asked for")
