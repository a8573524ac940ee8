"""Whether a text holds a topic: as a literal part of it, whatever its case and composed or not (§10.3)."""

from __future__ import annotations

import unicodedata

__all__ = ["folded", "holds"]


def folded(text: str) -> str:
    """Return a text in the form in which topics are compared."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def holds(text: str, topic: str) -> bool:
    """Whether a text has a topic in it, which is given folded."""
    return topic in folded(text)
