"""A text longer than an entry, in pieces that joined together are the text (MEM-001 §1.3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from csbond.protocol.memory.entry import CONTENT_MAX, checked_content, checked_text, refused
from csbond.protocol.memory.sentences import cut_at_sentences

BLANK_MAX = 1024
"""Code points of white space in a row that are kept: half an entry, so that no entry is nothing but blank."""
TEXT_MAX = 262_144
"""Code points of a text that is imported: as many as one message may have."""
PUBLISHED_CONTENT_MAX = 4_096
"""Code points of a content by the published schema, which contradicts MEM-001 §1.3."""

_LONG_BLANK = re.compile(rf"(\s{{{BLANK_MAX}}})\s+")


def cut_content(value: object, limit: int = TEXT_MAX) -> tuple[str, ...]:
    """The pieces of a content, one for a content that an entry holds; `invalid_params` beyond the limit.

    A short content stays as it is; a longer one loses blanks at its ends and overlong ones inside.
    """
    if not isinstance(value, str) or len(value) <= CONTENT_MAX:
        return (checked_content(value),)
    text = unicodedata.normalize("NFC", checked_text("content", value))
    if len(text) > limit:
        raise refused("content", f"has {len(text)} characters; at most {limit} are imported")
    return tuple(pieces_of(without_long_blanks(text))) or (checked_content(text),)


def pieces_of(text: str) -> Iterator[str]:
    """The text cut at sentence ends; a piece that would be blank goes with the one after it."""
    blank = ""
    for cut in cut_at_sentences(text, CONTENT_MAX):
        piece = blank + cut
        blank = ""
        if len(piece) > CONTENT_MAX:
            yield piece[:CONTENT_MAX]
            piece = piece[CONTENT_MAX:]
        if piece.isspace():
            blank = piece
        else:
            yield piece


def without_long_blanks(text: str) -> str:
    """The text without blanks at its ends, and no more than `BLANK_MAX` of them in a row inside."""
    return _LONG_BLANK.sub(r"\1", text.strip())
