"""The skill every node has: it remembers what it is told, answers from memory, and claims to be nothing more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le

from csbond.flows.turn import Answer, Done, Found, SkillCard, Turn
from csbond.protocol.continuity.language import language_of
from csbond.protocol.continuity.placing import sender_of
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.kinds import asks, greets
from csbond.protocol.memory.sentences import split_sentences
from csbond.protocol.memory.words import query_terms
from csbond.protocol.messages.extensions import MEMORY
from csbond.protocol.messages.part import Part, PartKind
from csbond.skills.kind import Kind
from csbond.skills.phrases import PHRASES, Phrases, asks_about_self
from csbond.skills.settings import Count, SkillSettings
from csbond.skills.speech import Speech

LOOKED_AT = 8_192
"""Characters of a message that are looked at for an answer; all of it is remembered."""
QUESTIONS_MAX = 3
"""Questions of one message that are answered: each is a search."""
EXTRACT_MAX = 280
"""Characters of one quotation: enough to see what was said, short enough for a chat."""
_SHOWN_PARTS = 10
_SHOWN_NAME = 80
_RELEVANT = 0.25
"""A memory is quoted when its score is at least this share of the best one's. Of the answers among the first five,
0.2 keeps more than nine of ten in every set of `bench/recall`, 0.4 loses two of ten in one of them."""
_STEM = 5
"""Letters by which two words of one stem are taken as the same ("moved", "moves")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings(SkillSettings):
    """How much it quotes."""

    quotes: Count = 3
    """Memories quoted in answer to one question."""
    nearness: Annotated[float, Ge(-1), Le(1)] = 0.25
    """Cosine from which a memory is near to a question it shares no word with. With the default embedder three
    answers of four are above 0.25, and of what has nothing to do with the question less than one in a hundred."""


class MemorySkill:
    """Thanks for statements, answers questions by quoting memories with their date, and never invents."""

    def __init__(self, settings: MemorySettings | None = None) -> None:
        self._settings = settings or MemorySettings()
        self.card = SkillCard(
            id="memory",
            name="Memory",
            description="Remembers what it is told and answers questions from memory, in Chinese and English. "
            "It is no language model.",
            tags=("memory", "recall", "记忆"),
            examples=("The workshop is on the second floor.", "Where is the workshop?", "会议是什么时候？"),
            window=self._settings.window,
            summarises=False,
            timeout_s=self._settings.timeout_s,
            effects=False,
        )

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """The answer, a line a chunk."""
        lines = await self._lines(turn)
        # What it quotes is remembered here already; the one who asked need not remember it once more.
        speech = Speech(metadata={MEMORY: {"remember": False}})
        for number, line in enumerate(lines, start=1):
            last = number == len(lines)
            yield speech.say(line if last else line + "\n", last=last)
        yield Done()

    async def close(self) -> None:
        """It holds nothing."""

    async def _lines(self, turn: Turn) -> list[str]:
        sentences = split_sentences(turn.message.text[:LOOKED_AT])
        phrases = PHRASES[language_of(turn.message.text or _latest_text(turn))]
        questions = [each for each in sentences if asks(each)]
        statements = [each for each in sentences if each not in questions]
        lines = _acknowledged(turn, statements, phrases)
        lines += _received(turn.message.parts, phrases)
        quoted: set[str] = set()
        for question in questions[:QUESTIONS_MAX]:
            lines += await self._answered(turn, question, phrases, quoted)
        if len(questions) > QUESTIONS_MAX:
            lines.append(phrases.too_many.format(count=QUESTIONS_MAX))
        return lines or [phrases.greeting.format(agent=turn.agent_name)]

    async def _answered(self, turn: Turn, question: str, phrases: Phrases, quoted: set[str]) -> list[str]:
        if asks_about_self(question):
            return [phrases.self.format(agent=turn.agent_name)]
        found = await turn.recall(question, self._settings.quotes + 2)
        known = _worth_quoting(found, turn.message.id)
        saying = [each for each in known if _shares_a_word(question, each.entry.content)]
        near = [each for each in known if each.cosine is None or each.cosine >= self._settings.nearness]
        chosen = (saying or near[:2])[: self._settings.quotes]
        if not chosen:
            return [phrases.nothing]
        head = phrases.remembers if saying else phrases.nearest
        fresh = [each.entry for each in chosen if each.entry.id not in quoted]
        quoted.update(entry.id for entry in fresh)
        return [head, *(phrases.quoted(entry, _extract(question, entry)) for entry in fresh)] if fresh else []


def _acknowledged(turn: Turn, statements: Sequence[str], phrases: Phrases) -> list[str]:
    told = [each for each in statements if not greets(each)]
    if not told:
        return [phrases.greeting.format(agent=turn.agent_name)] if statements else []
    text = _cut(" ".join(told))
    name = sender_of(turn.message).name
    return [phrases.thanks_name.format(name=name, text=text) if name else phrases.thanks.format(text=text)]


def _received(parts: Sequence[Part], phrases: Phrases) -> list[str]:
    others = [part for part in parts if part.kind is not PartKind.TEXT]
    if not others:
        return []
    things = [_thing(part, phrases) for part in others[:_SHOWN_PARTS]]
    rest = ["…"] if len(others) > _SHOWN_PARTS else []
    return [phrases.received.format(things=phrases.listed(things + rest))]


def _thing(part: Part, phrases: Phrases) -> str:
    match part.kind:
        case PartKind.FILE:
            name, media = _named(part.filename or "?"), _named(part.media_type or "?")
            return phrases.file.format(name=name, media=media, size=len(part.value))
        case PartKind.URL:
            return phrases.url.format(url=_named(part.value))
        case _:
            return phrases.data.format(what=_described(part.value))


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return _named(", ".join(map(str, value))) or "{}"
    return f"[{len(value)}]" if isinstance(value, list) else _named(str(value))


def _named(text: str) -> str:
    """A name from outside on one line, of bounded length."""
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN_NAME else shown[:_SHOWN_NAME] + "…"


def _latest_text(turn: Turn) -> str:
    return next((said.message.text for said in reversed(turn.window) if said.message.text), "")


def _worth_quoting(found: Sequence[Found], message_id: str) -> list[Found]:
    """The best of what was found, each text once, without the message that asks."""
    best = max((each.score for each in found), default=0.0)
    texts: dict[str, Found] = {}
    for each in found:
        if each.score >= best * _RELEVANT and each.entry.origin.message_id != message_id:
            texts.setdefault(each.entry.content, each)
    return list(texts.values())


def _shares_a_word(question: str, content: str) -> bool:
    return not _stems(question).isdisjoint(_stems(content))


def _stems(text: str) -> set[str]:
    return {term[:_STEM] for term in query_terms(text).terms}


def _extract(question: str, entry: MemoryEntry) -> str:
    """The sentences of a memory that say most about a question, in their order; the whole of a short one."""
    if len(entry.content) <= EXTRACT_MAX:
        return " ".join(entry.content.split())
    wanted = _stems(question)
    sentences = split_sentences(entry.content)
    ranked = sorted(range(len(sentences)), key=lambda place: -len(wanted & _stems(sentences[place])))
    chosen: list[int] = []
    room = EXTRACT_MAX
    for place in ranked:
        if len(sentences[place]) > room:
            break
        room -= len(sentences[place])
        chosen.append(place)
    kept = " … ".join(sentences[place] for place in sorted(chosen))
    return " ".join(kept.split()) if kept else _cut(sentences[ranked[0]])


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXTRACT_MAX else line[:EXTRACT_MAX] + "…"


def _make(settings: MemorySettings, _home: Path) -> MemorySkill:
    return MemorySkill(settings)


KIND = Kind("memory", MemorySettings, _make)
