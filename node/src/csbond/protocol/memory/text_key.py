"""What two texts must have in common to be looked at as one and the same."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import lru_cache

from csbond.protocol.memory.words import folded

KEY_BYTES = 16
"""Enough that two texts of a million never meet by chance."""

REMEMBERED_TEXTS = 256
"""Texts whose keys are kept: a write asks twice, for what is there already and for its own row."""
_UNHEARD = ("P", "Z", "Cc", "Cf")


@lru_cache(REMEMBERED_TEXTS)
def text_key(content: str) -> bytes:
    """The key of a text: equal for texts that differ in case, width, white space and punctuation only.

    A text of nothing else is its own key, composed (NFC).
    """
    text = folded(content)
    unheard = [letter for letter in set(text) if unicodedata.category(letter).startswith(_UNHEARD)]
    heard = text.translate(dict.fromkeys(map(ord, unheard)))
    return hashlib.sha256((heard or unicodedata.normalize("NFC", content)).encode()).digest()[:KEY_BYTES]
