"""The words rows are found by; a message and the entry it leaves hold the same text, which is split once."""

from __future__ import annotations

from functools import lru_cache

from csbond.protocol.memory.words import index_text

REMEMBERED_TEXTS = 256
"""Texts whose words are kept: more than there are messages between their arrival and their entry."""
REMEMBERED_LENGTH = 2_048
"""Characters of the longest text that is kept: the content of an entry."""

_remembered = lru_cache(REMEMBERED_TEXTS)(index_text)


def indexed_words(*texts: str) -> str:
    """The terms of some texts, as the full text indexes are given them."""
    return " ".join(_remembered(text) if len(text) <= REMEMBERED_LENGTH else index_text(text) for text in texts)
