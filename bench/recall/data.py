"""The texts that are remembered and what is asked of them: our pairs, and dialogues and paragraphs where they are.

Dialogues and paragraphs belong to others and are no part of the project: they lie in a folder beside the repository.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

__all__ = ["HALVES", "PAIRS", "PAIR_SETS", "Collection", "Memory", "Pair", "Question", "Unreadable"]

REPOSITORY = Path(__file__).resolve().parents[2]
PAIRS = Path(__file__).resolve().parent / "pairs"
HALVES = ("development", "frozen")
PAIR_SETS = ("zh", "en", "cross")
VARIABLE = "CSB_RECALL_DATA"
"""Names the folder of dialogues and paragraphs when it is not `../shared/data/recall` beside the repository."""

DIALOGUES, PARAGRAPHS = "dialogues", "paragraphs"
ADVERSARIAL = 5
"""The category of questions that have no answer in their dialogue."""
_TURN = re.compile(r"D:?(\d+):0*(\d+)")
"""A turn as evidence names it: mostly `D8:6`, now and then several in one text, or written a little differently."""


class Unreadable(Exception):
    """A file does not hold what its name promises."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A text to remember; the key is what questions call it by."""

    key: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A text to search for, and the keys of what should be found."""

    text: str
    wanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Collection:
    """What lies in one memory together, and the questions to it by the set they count for."""

    name: str
    memories: tuple[Memory, ...]
    questions: Mapping[str, tuple[Question, ...]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory and a question that asks for it in other words."""

    kind: str
    memory: str
    question: str


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where dialogues and paragraphs lie, if they are there."""
    return Path(environment.get(VARIABLE) or REPOSITORY.parent / "shared" / "data" / "recall")


def pairs(half: str, name: str, folder: Path = PAIRS) -> list[Pair]:
    """The pairs of one set of a half."""
    return [Pair(**row) for row in _rows(folder / half / f"{name}.jsonl")]


def distractors(folder: Path = PAIRS) -> list[str]:
    """Memories near in topic to the pairs, that answer none of their questions."""
    return [str(row["memory"]) for row in _rows(folder / "distractors.jsonl")]


def pair_collections(folder: Path = PAIRS) -> Iterator[Collection]:
    """One memory a half: all its pairs in it, and the distractors."""
    beside = [Memory(f"distractor {number}", text) for number, text in enumerate(distractors(folder))]
    for half in HALVES:
        memories, questions = list(beside), dict[str, tuple[Question, ...]]()
        for name in PAIR_SETS:
            keyed = [(f"{name} {number}", pair) for number, pair in enumerate(pairs(half, name, folder))]
            memories += [Memory(key, pair.memory) for key, pair in keyed]
            questions[f"{half} {name}"] = tuple(Question(pair.question, frozenset({key})) for key, pair in keyed)
        yield Collection(half, tuple(memories), questions)


def dialogue_collections(folder: Path) -> Iterator[Collection]:
    """One memory a dialogue of the `locomo*.json` there: a turn an entry, and its questions that name evidence."""
    for path in sorted(folder.glob("locomo*.json")):
        for number, sample in enumerate(_json(path)):
            try:
                yield _dialogue(f"{path.stem} {number}", sample)
            except (AttributeError, KeyError, TypeError) as fault:
                raise Unreadable(f"{path}: dialogue {number} lacks {fault}") from fault


def paragraph_collections(folder: Path) -> Iterator[Collection]:
    """One memory a `cmrc*.json` there: a paragraph an entry, and the questions it answers."""
    for path in sorted(folder.glob("cmrc*.json")):
        try:
            paragraphs = [part for article in _json(path) for part in article["paragraphs"]]
            memories = tuple(Memory(str(part["id"]), part["context"]) for part in paragraphs)
            asked = ((part, str(query["question"])) for part in paragraphs for query in part["qas"])
            questions = tuple(Question(text, frozenset({str(part["id"])})) for part, text in asked)
        except (KeyError, TypeError) as fault:
            raise Unreadable(f"{path}: an article lacks {fault}") from fault
        yield Collection(path.stem, memories, {PARAGRAPHS: questions})


def _dialogue(name: str, sample: Mapping[str, Any]) -> Collection:
    sessions = (value for value in sample["conversation"].values() if isinstance(value, list))
    memories = tuple(_turn(turn) for turn in chain.from_iterable(sessions))
    keys = {memory.key for memory in memories}
    asked = [
        Question(str(query["question"]), frozenset(turns_named(query.get("evidence") or (), keys)))
        for query in sample["qa"]
        if query["category"] != ADVERSARIAL
    ]
    return Collection(name, memories, {DIALOGUES: tuple(question for question in asked if question.wanted)})


def _turn(turn: Mapping[str, Any]) -> Memory:
    speaker = str(turn["speaker"])
    tag = re.sub(r"[^\w-]+", "_", speaker)[:32]
    return Memory(str(turn["dia_id"]), f"{speaker}: {turn['text']}", (tag,))


def turns_named(evidence: Iterable[str], keys: set[str]) -> Iterator[str]:
    """The turns a question's evidence names, those that the dialogue has."""
    for text in evidence:
        named = [f"D{session}:{turn}" for session, turn in _TURN.findall(text)]
        yield from (key for key in named if key in keys)


def shortened(collections: Sequence[Collection], memories: int) -> list[Collection]:
    """The first collection, cut to its first memories and the questions that only they answer."""
    short: list[Collection] = []
    for each in collections[:1]:
        kept = each.memories[:memories]
        keys = {memory.key for memory in kept}
        questions = {
            name: tuple(question for question in asked if question.wanted <= keys)
            for name, asked in each.questions.items()
        }
        short.append(Collection(each.name, kept, questions))
    return short


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _json(path: Path) -> list[Any]:
    try:
        document = json.loads(path.read_bytes())
    except ValueError as fault:
        raise Unreadable(f"{path}: {fault}") from fault
    if not isinstance(document, list):
        raise Unreadable(f"{path} is no list")
    return document
