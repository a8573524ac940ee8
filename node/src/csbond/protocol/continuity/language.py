"""Which of the two languages of the drafts a text is in (A2A-024 `language: auto`)."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["zh-CN", "en-US"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")


def language_of(text: str) -> Language:
    """Chinese when there are at least half as many Chinese characters as words in Latin letters, else English.

    A Chinese word has about two characters, so a Chinese sentence with English names in it stays Chinese.
    """
    han = len(_HAN.findall(text))
    return "zh-CN" if han and han * 2 >= len(_LATIN_WORD.findall(text)) else "en-US"
