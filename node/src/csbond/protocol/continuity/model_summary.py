"""When a model's summary of a thread is taken, and when the extract stands (CSB v1.0 §1.2.4, A2A-004 §4.5).

A model may write better than an extract reads, and may leave out or turn what was decided. So its text counts only
where it has every key decision word for word and is no longer than a summary may be: else sentences of the source are
told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csbond.protocol.continuity.extract import Said, sentences_of
from csbond.protocol.continuity.summary import RATIO_MAX, SHARE, TOKENS_MAX
from csbond.protocol.continuity.window import Window
from csbond.protocol.memory.text_key import heard
from csbond.protocol.memory.words import says_something, token_count


@dataclass(frozen=True, slots=True)
class SummaryWish:
    """What a model is asked for."""

    source: str
    """What was said, a line a message; nothing that is private."""
    source_tokens: int
    decisions: tuple[str, ...]
    """Sentences that its text has to hold word for word."""
    tokens: int
    """How long it should be; a word counts one, and so does a Chinese character."""
    language: str
    """`zh-CN` or `en-US`."""


def summary_wish(window: Window, extract: Mapping[str, Any]) -> SummaryWish | None:
    """What to ask a model for in the place of an extract; None where there is room for no more than its decisions."""
    said = sentences_of(window.beyond)
    source_tokens = sum(each.sentence.tokens for each in said)
    decisions = tuple(extract["key_decisions"])
    decided = sum(map(token_count, decisions))
    room = _most(source_tokens) - _beside(extract)
    if room <= decided:
        return None
    asked = decided + int(source_tokens * SHARE[extract["length_hint"]])
    return SummaryWish(_lines(said), source_tokens, decisions, min(room, asked), extract["language"])


def accepted(text: str, source_tokens: int, decisions: Sequence[str], beside: int = 0) -> bool:
    """Whether a model's text may stand for its source.

    1. it says something; 2. with what stands `beside` it, it has at most 0.70 of the tokens of the source; 3. it holds
    every decision, letter for letter but for case, width, white space and punctuation.
    """
    told = heard(text)
    return (
        says_something(text)
        and token_count(text) + beside <= _most(source_tokens)
        and all(heard(decision) in told for decision in decisions)
    )


def with_text(extract: Mapping[str, Any], wish: SummaryWish, text: str) -> dict[str, Any]:
    """The summary with a model's text for that of the extract, where it is accepted; else the extract.

    `by_model` says that these are nobody's own words.
    """
    text = text.strip()
    if not accepted(text, wish.source_tokens, wish.decisions, _beside(extract)):
        return dict(extract)
    ratio = round((token_count(text) + _beside(extract)) / wish.source_tokens, 4)
    return {**extract, "summary": text, "ratio": ratio, "by_model": True}


def _most(source_tokens: int) -> int:
    return min(TOKENS_MAX, int(source_tokens * RATIO_MAX))


def _beside(extract: Mapping[str, Any]) -> int:
    """Tokens of the lists that stand beside the text."""
    return sum(map(token_count, (*extract["key_decisions"], *extract["open_questions"])))


def _lines(said: Sequence[Said]) -> str:
    lines: dict[int, str] = {}
    for each in said:
        name, key = each.message.sender.name, id(each.message)
        before = lines.get(key, f"{name}: " if name else "")
        lines[key] = before + (" " if key in lines else "") + each.sentence.text
    return "\n".join(lines.values())
