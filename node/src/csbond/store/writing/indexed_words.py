"""The words rows are found by; a message and the entry it leaves hold the same text, which is split once."""

from __future__ import annotations

from functools import lru_cache

from csbond.flows.changes import AppendMessage, Change
from csbond.flows.memory_changes import PutEntry
from csbond.protocol.memory.words import index_text

REMEMBERED_TEXTS = 256
"""Texts whose words are kept: more than there are messages between their arrival and their entry."""
LOOP_LENGTH = 16_384
"""Characters that are split on the event loop: some milliseconds; more is split in a thread beforehand."""
REMEMBERED_LENGTH = 2_048
"""Characters of the longest text that is kept: the content of an entry."""

LONG_TEXTS = 8
"""Longer texts whose words are kept: those of the messages that are about to be written."""

_remembered = lru_cache(REMEMBERED_TEXTS)(index_text)
_long = lru_cache(LONG_TEXTS)(index_text)


def indexed_words(*texts: str) -> str:
    """The terms of some texts, as the full text indexes are given them."""
    return " ".join(_remembered(text) if len(text) <= REMEMBERED_LENGTH else _long(text) for text in texts)


def texts_to_split(change: Change) -> tuple[str, ...]:
    """The texts of a change, when splitting them would hold up the event loop; none of an ordinary change."""
    messages = [write.message.message.text for write in change.writes if isinstance(write, AppendMessage)]
    entries = [write.entry.content for write in change.writes if isinstance(write, PutEntry)]
    texts = (*messages, *entries)
    return texts if sum(map(len, texts)) > LOOP_LENGTH else ()
