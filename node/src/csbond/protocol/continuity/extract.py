"""The sentences of a stretch of conversation, weighed by how much of it they tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from csbond.protocol.continuity.language import Language, language_of
from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.memory.kinds import is_key_decision
from csbond.protocol.memory.sentences import is_question, split_sentences
from csbond.protocol.memory.words import query_terms, token_count

SOURCE_MAX = 50_000
"""Code points of the source that are read, the latest: a summary has no room for more, and messages wait for it."""
_REMEMBERED_TEXTS = 512
_REMEMBERED_LENGTH = 500
"""Code points of a text whose sentences are worth keeping: a thread is summarised again with each message."""

_NO_ANSWER = re.compile(
    r"不知道|不清楚|不确定|没有?找到|不记得|没有?印象|无法回答"
    r"|\bdo(?:es)?(?:\s+not|n['’]t)\s+(?:know|remember)\b|\bnot sure\b|\bno idea\b"
    r"|\b(?:found|find|know|remember) nothing\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and what it is."""

    text: str
    tokens: int
    question: bool
    decision: bool
    informs: bool
    """Whether it can answer somebody: it states something, and not that its speaker does not know."""
    language: Language
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence in its place: who said it, in which message."""

    sentence: Sentence
    message: ThreadMessage
    place: int
    """The order among all sentences of the source."""


def sentences_of(messages: Sequence[ThreadMessage]) -> tuple[Said, ...]:
    """The sentences of messages not marked private, in order; of a source that is too long, the latest."""
    room = SOURCE_MAX
    read: list[tuple[ThreadMessage, tuple[Sentence, ...]]] = []
    for message in reversed(messages):
        if message.private or room <= 0:
            continue
        text = message.message.text
        sentences = _sentences(text[:room])
        read.append((message, sentences if len(text) <= room else sentences[:-1]))
        room -= len(text)
    said = ((message, sentence) for message, sentences in reversed(read) for sentence in sentences)
    return tuple(Said(sentence, message, place) for place, (message, sentence) in enumerate(said))


def weighed(source: Sequence[Said], language: Language) -> list[Said]:
    """The sentences of the source, those that tell most first, each text once.

    A sentence tells much when its words recur in the source and its message was important; one in the language
    comes before one in another.
    """
    frequency = Counter(term for said in source for term in said.sentence.terms)

    def weight(said: Said) -> tuple[bool, float]:
        terms = said.sentence.terms
        told = sum(frequency[term] for term in terms) / (len(terms) + 4)
        return said.sentence.language == language, told * (0.5 + said.message.importance)

    return sorted(once(source), key=weight, reverse=True)


def main_language(source: Iterable[Said]) -> Language:
    """The language that has the most tokens."""
    tokens: Counter[Language] = Counter()
    for said in source:
        tokens[said.sentence.language] += said.sentence.tokens
    return max(tokens, key=lambda language: tokens[language], default="en-US")


def once(source: Iterable[Said]) -> list[Said]:
    """Each text only where it comes first."""
    first: dict[str, Said] = {}
    for said in source:
        first.setdefault(said.sentence.text, said)
    return list(first.values())


def open_questions(source: Sequence[Said], afterwards: Sequence[Said]) -> list[Said]:
    """The questions nobody answered, in order.

    A later statement of somebody else answers a question when its message replies to it, or when they share a
    word; that one does not know is no answer.
    """
    questions = [(at, said) for at, said in enumerate(source) if said.sentence.question]
    wanted = {term for _, said in questions for term in said.sentence.terms}
    replied: dict[str, set[_Speaker]] = {}
    told: dict[str, dict[_Speaker, int]] = {}
    for at, said in enumerate((*source, *afterwards) if questions else ()):
        if said.sentence.informs:
            speaker = _speaker(said.message)
            replied.setdefault(said.message.parent_id, set()).add(speaker)
            for term in said.sentence.terms & wanted:
                told.setdefault(term, {})[speaker] = at

    def answered(at: int, question: Said) -> bool:
        asker = _speaker(question.message)
        later = (told.get(term, {}) for term in question.sentence.terms)
        return bool(replied.get(question.message.message.id, set()) - {asker}) or any(
            place > at and speaker != asker for places in later for speaker, place in places.items()
        )

    return once(question for at, question in questions if not answered(at, question))


_Speaker = tuple[str, str, str]


def _speaker(message: ThreadMessage) -> _Speaker:
    return message.message.role, message.sender.name, message.sender.did


def _sentences(text: str) -> tuple[Sentence, ...]:
    return _sentences_kept(text) if len(text) <= _REMEMBERED_LENGTH else _sentences_fresh(text)


def _sentences_fresh(text: str) -> tuple[Sentence, ...]:
    return tuple(_sentence(sentence) for sentence in split_sentences(text))


_sentences_kept = lru_cache(maxsize=_REMEMBERED_TEXTS)(_sentences_fresh)


def _sentence(text: str) -> Sentence:
    asks = is_question(text)
    return Sentence(
        text=text,
        tokens=token_count(text),
        question=asks,
        decision=not asks and is_key_decision(text),
        informs=not asks and _NO_ANSWER.search(text) is None,
        language=language_of(text),
        terms=frozenset(query_terms(text).terms),
    )
