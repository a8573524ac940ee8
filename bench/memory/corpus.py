"""The texts and vectors of one run, written once, so that every store is given the very same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from bench.memory.texts import Document, Question, documents, questions
from bench.memory.vectors import DIMENSION, Vectors, question_vectors, text_vectors

__all__ = ["SHARD", "Asked", "Corpus", "Told", "write_corpus"]

SHARD = 1_000
"""Documents of one file: a store that is given a few reads a few."""


@dataclass(frozen=True, slots=True)
class Told:
    """A document and its vector: 32-bit floats, little-endian, of length one."""

    document: Document
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its vector."""

    question: Question
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a run."""

    folder: Path

    def told(self, first: int, count: int) -> Iterator[Told]:
        """The documents from a place on."""
        for number in range(first, first + count):
            texts, vectors = _shard(self.folder, number // SHARD)
            yield Told(texts[number % SHARD], vectors[number % SHARD])

    def asked(self, among: int, first: int, count: int) -> list[Asked]:
        """Questions to the first so many documents, from a place on; again from the beginning where they end."""
        rows = json.loads((self.folder / f"questions-{among}.json").read_text(encoding="utf-8"))
        vectors = np.load(self.folder / f"questions-{among}.npy")
        places = [number % len(rows) for number in range(first, first + count)]
        return [Asked(Question(**rows[place]), vectors[place]) for place in places]


def write_corpus(folder: Path, count: int, asked: int, among: tuple[int, ...], say: Callable[[str], None]) -> Corpus:
    """Write so many documents, and so many questions to the first of them, for each of some numbers of those."""
    folder.mkdir(parents=True)
    for shard in range(-(-count // SHARD)):
        if shard % 10 == 0:
            say(f"documents: {shard * SHARD:,} of {count:,}")
        made = list(documents(shard * SHARD, SHARD))
        text = "".join(json.dumps(asdict(document), ensure_ascii=False) + "\n" for document in made)
        (folder / f"documents-{shard}.jsonl").write_text(text, encoding="utf-8")
        np.save(folder / f"documents-{shard}.npy", text_vectors([document.topic for document in made], shard))
    corpus = Corpus(folder)
    for number in among:
        made_up = list(questions(f"questions {number}", number, asked))
        of_texts = np.empty((asked, DIMENSION), dtype=np.float32)
        for place in sorted(range(asked), key=lambda place: made_up[place].document):
            of_texts[place] = next(corpus.told(made_up[place].document, 1)).vector
        np.save(folder / f"questions-{number}.npy", question_vectors(of_texts, number))
        rows = json.dumps([asdict(question) for question in made_up], ensure_ascii=False)
        (folder / f"questions-{number}.json").write_text(rows, encoding="utf-8")
    return corpus


@lru_cache(maxsize=2)
def _shard(folder: Path, number: int) -> tuple[list[Document], Vectors]:
    lines = (folder / f"documents-{number}.jsonl").read_text(encoding="utf-8").splitlines()
    vectors: Vectors = np.load(folder / f"documents-{number}.npy")
    return [Document(**json.loads(line)) for line in lines], vectors
