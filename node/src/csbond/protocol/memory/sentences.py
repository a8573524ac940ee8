"""Where sentences end, in Chinese and English, and how a long text is cut at them (MEM-001 §1.3)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

PIECE_MAX = 2048
"""Code points of one piece: the content limit of an entry (MEM-001 §1.3)."""

_CLOSERS = "\"'”’」』）)\\]】》"
_END = re.compile(
    rf"(?P<cjk>[。！？；…｡]+)[{_CLOSERS}]*\s*"  # these end a sentence wherever they stand
    rf"|(?P<latin>[.!?]+)[{_CLOSERS}]*(?:\s+|$|(?=[\u3040-\u30ff\u3400-\u9fff]))"
    r"|(?P<line>\n)\s*"
)
_CLAUSE_END = re.compile(r"[，、：]+\s*|\s+")
_ABBREVIATIONS = (
    "approx apr aug co corp dec dept dr ed eg eq esp est feb fig gen ie inc jan jr jul jun ltd mar mr mrs ms mt nos nov"
    " oct pp prof rev sec sep sept sgt sr st vol vs"
)
_ABBREVIATION_SET = frozenset(_ABBREVIATIONS.split())
_OPENERS = re.compile(r"[\s(\[“\"'（「]")
_INITIALS = re.compile(r"[A-Z]|(?:[A-Za-z]\.)+[A-Za-z]")


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, each with its final mark, without the white space around it."""
    stripped = (text[start:end].strip() for start, end in _spans(text))
    return tuple(sentence for sentence in stripped if sentence)


def cut_at_sentences(text: str, limit: int = PIECE_MAX) -> tuple[str, ...]:
    """Pieces of at most `limit` code points that joined together are the text.

    Each piece is as long as it can be when it ends with a sentence; a sentence longer than the limit
    is cut after a comma or white space, and one without those where the limit is.
    """
    if limit < 1:
        raise ValueError("a piece has at least one code point")
    if len(text) <= limit:
        return (text,) if text else ()
    sentence_ends = [end for _, end in _spans(text)]
    clause_ends: list[int] | None = None
    pieces: list[str] = []
    start = 0
    while len(text) - start > limit:
        end = _last_within(sentence_ends, start, limit)
        if end is None:
            if clause_ends is None:
                clause_ends = [match.end() for match in _CLAUSE_END.finditer(text)]
            end = _last_within(clause_ends, start, limit) or _between_characters(text, start, limit)
        pieces.append(text[start:end])
        start = end
    return (*pieces, text[start:]) if start < len(text) else tuple(pieces)


def _last_within(ends: Sequence[int], start: int, limit: int) -> int | None:
    at = bisect_right(ends, start + limit) - 1
    return ends[at] if at >= 0 and ends[at] > start else None


def _between_characters(text: str, start: int, limit: int) -> int:
    """The latest place within the limit that does not part an accent or a joined emoji from its base."""
    for end in range(start + limit, max(start, start + limit - 32), -1):
        if not unicodedata.combining(text[end]) and "\u200d" not in text[end - 1 : end + 1] and text[end] != "\ufe0f":
            return end
    return start + limit


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence starts and ends, white space after it included; together they are the text."""
    start = 0
    for match in _END.finditer(text):
        if match["latin"] == "." and not _ends_sentence(text[max(start, match.start() - 32) : match.start()]):
            continue
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _ends_sentence(before: str) -> bool:
    """Whether a single full stop after this ends a sentence: not after an abbreviation, an initial or a list number."""
    word = _OPENERS.split(before)[-1]
    if word.lower() in _ABBREVIATION_SET or _INITIALS.fullmatch(word):
        return False
    return not (word.isdigit() and word == before.strip())


_QUESTION_MARK = re.compile(rf"[?？][!！?？]*[{_CLOSERS}\s]*$")
_STATEMENT_MARK = re.compile(rf"[.!！…；][{_CLOSERS}\s]*$")
_FULL_STOP = re.compile(rf"。[{_CLOSERS}\s]*$")
_ASKING_WORD = r"什么|啥|谁|哪|怎么|怎样|为何|如何|多少|几[点个次天号时]|是否|能否|可否|有没有|是不是|能不能"
_CHINESE_START = re.compile(rf"请问|(?!哪怕|多少有)(?:{_ASKING_WORD})(?!.*[都也])")
_CHINESE_END = re.compile(rf"吗$|(?:{_ASKING_WORD}).*呢$")
_AUXILIARY = r"(?:am|is|are|was|were|do|does|did|can|could|should|will|would|has|have)(?:n't|n’t)?"
_ENGLISH_START = re.compile(
    rf"(?:who|what|when|where|why|how)(?:['’](?:s|re)|\s+{_AUXILIARY})\b"
    rf"|(?:which|how|what\s+(?=time|day|kind|sort|size|else))\s*\w+\s+{_AUXILIARY}\b"
    r"|how\s+(?:many|much|long|often|far|old)\b"
    r"|(?:do|have)(?:n't|n’t)?\s+(?:i|you|we|they)\b"
    r"|should(?:n't|n’t)?\s+(?:i|we|they|it|the)\b"
    r"|(?:am|is|are|was|were|does|did|can|could|will|would|has)(?:n't|n’t)?"
    r"\s+(?:i|you|we|they|he|she|it|there|this|that|these|those|the|my|your|our|any)\b",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks something: it ends with a question mark, or has no final mark and reads so.

    When in doubt it is a statement.
    """
    sentence = sentence.strip()
    if _QUESTION_MARK.search(sentence):
        return True
    if _STATEMENT_MARK.search(sentence):
        return False
    bare = _FULL_STOP.sub("", sentence)
    if _CHINESE_END.search(bare):
        return True
    return bare == sentence and bool(_CHINESE_START.match(bare) or _ENGLISH_START.match(bare))
