"""What two texts must have in common to be looked at as one and the same."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import lru_cache

from csbond.protocol.memory.words import folded

KEY_BYTES = 8
"""Enough that two texts of a million hardly meet by chance; those that do are told apart by their letters."""

REMEMBERED_TEXTS = 256
"""Texts whose keys are kept: a write asks twice, for what is there already and for its own row."""
REMEMBERED_LETTERS = 4_096
"""Letters that are known to be heard or not: those of all texts but rare ones."""
_UNHEARD = ("P", "Z", "Cc", "Cf")


@lru_cache(REMEMBERED_LETTERS)
def _is_unheard(letter: str) -> bool:
    return unicodedata.category(letter).startswith(_UNHEARD)


@lru_cache(REMEMBERED_TEXTS)
def text_key(content: str) -> bytes:
    """The key of a text: equal for texts that differ in case, width, white space and punctuation only.

    A text of nothing else is its own key, composed (NFC).
    """
    return hashlib.sha256((heard(content) or unicodedata.normalize("NFC", content)).encode()).digest()[:KEY_BYTES]


def heard(content: str) -> str:
    """The text without case, width, white space and punctuation."""
    kept = text = folded(content)
    for letter in filter(_is_unheard, set(text)):
        kept = kept.replace(letter, "")
    return kept
