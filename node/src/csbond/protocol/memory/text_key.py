"""What two texts must have in common to be looked at as one and the same."""

from __future__ import annotations

import hashlib
import unicodedata

from csbond.protocol.memory.words import folded

KEY_BYTES = 16
"""Enough that two texts of a million never meet by chance."""

_UNHEARD = ("P", "Z", "Cc", "Cf")


def text_key(content: str) -> bytes:
    """The key of a text: equal for texts that differ in case, width, white space and punctuation only.

    A text of nothing else is its own key, composed (NFC).
    """
    text = folded(content)
    unheard = [letter for letter in set(text) if unicodedata.category(letter).startswith(_UNHEARD)]
    heard = text.translate(dict.fromkeys(map(ord, unheard)))
    return hashlib.sha256((heard or unicodedata.normalize("NFC", content)).encode()).digest()[:KEY_BYTES]
