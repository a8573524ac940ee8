"""An extract of what lies beyond the window: whole sentences, never words of our own (A2A-004 §4.2–4.5, A2A-024)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from csbond.protocol.continuity.extract import Said, main_language, once, open_questions, sentences_of, weighed
from csbond.protocol.continuity.language import Language
from csbond.protocol.continuity.window import Window
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.words import token_count

RATIO_MAX = 0.70
"""Tokens of a summary for each token of its source, at most (CSB v1.0 §1.2)."""
TOKENS_MAX = 4_000
"""Tokens of a summary, however long its source: what travels in the metadata of a message."""
QUESTIONS_MAX = 8
"""Open questions that are kept, the latest: older ones have been given up."""

LengthHint = Literal["compact", "standard", "full"]
Generator = Literal["sender", "receiver"]
SHARE: dict[LengthHint, float] = {"compact": 0.30, "standard": 0.50, "full": RATIO_MAX}
"""How much of the source a summary takes for each length hint; key decisions may take it up to the most."""


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """How long a summary is wished, and in which language (A2A-024 §24.1).

    Sentences are taken, not translated: of a thread in both languages those in the one named go first. The
    draft's default, zh-CN, would name the wrong language for an English thread, so it is `auto` here.
    """

    length_hint: LengthHint = "compact"
    language: Language | Literal["auto"] = "auto"


def summary_options_from_json(raw: object) -> SummaryOptions:
    """The options of a request; `invalid_params` for a value that A2A-024 does not list."""
    if not isinstance(raw, Mapping):
        raise _refuse("context_summary", "must be an object")
    hint, language = raw.get("length_hint", "compact"), raw.get("language", "auto")
    if hint not in ("compact", "standard", "full"):
        raise _refuse("context_summary.length_hint", "is compact, standard or full")
    if language not in ("zh-CN", "en-US", "auto"):
        raise _refuse("context_summary.language", "is zh-CN, en-US or auto")
    return SummaryOptions(hint, language)


def context_summary(
    window: Window, generated_at: int, generator: Generator = "sender", options: SummaryOptions | None = None
) -> dict[str, Any] | None:
    """The `context_summary` of A2A-004 for the messages beyond a window; None when nothing can be told of them.

    Messages marked private are not read. Summary, key decisions and open questions together have at most 0.70 of
    the tokens of the source; `ratio` reports how many. Key decisions are whole sentences and go first, the
    latest of them before earlier ones; `decisions_left_out` counts those the ratio has no room for.
    `generated_at` is in milliseconds.
    """
    wished = options or SummaryOptions()
    source = sentences_of(window.beyond)
    source_tokens = sum(said.sentence.tokens for said in source)
    if not source_tokens:
        return None
    language = main_language(source) if wished.language == "auto" else wished.language
    room = _Room(min(TOKENS_MAX, int(source_tokens * RATIO_MAX)))
    decisions = once(said for said in reversed(source) if said.sentence.decision)
    kept = [said for said in decisions if room.take(said)]
    room.narrow(int(source_tokens * SHARE[wished.length_hint]))
    unanswered = open_questions(source, sentences_of(window.inside))
    asked = [said for said in unanswered[-QUESTIONS_MAX:] if room.take(said)]
    named = {said.sentence.text for said in (*decisions, *unanswered)}
    told = [s for s in weighed(source, language) if s.sentence.text not in named and room.take(s, labelled=True)]
    fields: dict[str, Any] = {
        "thread_id": window.beyond[0].thread_id,
        "summary": _lines(told),
        "key_decisions": [said.sentence.text for said in sorted(kept, key=_place)],
        "open_questions": [said.sentence.text for said in asked],
        "generated_at": _iso(generated_at),
        "generator": generator,
        "length_hint": wished.length_hint,
        "language": language,
    }
    taken = sum(map(token_count, (fields["summary"], *fields["key_decisions"], *fields["open_questions"])))
    return fields | {"ratio": round(taken / source_tokens, 4), "decisions_left_out": len(decisions) - len(kept)}


class _Room:
    """How many tokens may still be taken."""

    def __init__(self, tokens: int) -> None:
        self._left = tokens
        self._taken = 0

    def take(self, said: Said, labelled: bool = False) -> bool:
        """Whether there is room for a sentence (and the name of its speaker); then it is taken."""
        tokens = said.sentence.tokens + (token_count(said.message.sender.name) if labelled else 0)
        if tokens > self._left:
            return False
        self._left -= tokens
        self._taken += tokens
        return True

    def narrow(self, tokens: int) -> None:
        """Leave room only up to a smaller whole."""
        self._left = min(self._left, tokens - self._taken)


def _lines(told: Iterable[Said]) -> str:
    """The sentences in the order they were said, a line a message, with the name of its speaker."""
    lines: dict[int, str] = {}
    for said in sorted(told, key=_place):
        key, name = id(said.message), said.message.sender.name
        before = lines.get(key, f"{name}: " if name else "")
        lines[key] = before + (" " if key in lines else "") + said.sentence.text
    return "\n".join(lines.values())


def _place(said: Said) -> int:
    return said.place


def _iso(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refuse(name: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError("invalid_params", f"{name} {reason}", field=name)
