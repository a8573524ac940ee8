"""Texts of others in markup: nothing of them is markup, steers how they are read, or is no character of XML."""

from __future__ import annotations

import html
import re

SHOWN_INSTEAD = "␦"
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Controls, what turns the order of reading round, what hides in a text, halves of characters, and no characters."""
_MARKS = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{3})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
"""Marks heaped on one letter, which would cover the lines above."""
_BREAKS = re.compile(r"[\t\n\r]+")


def escaped(text: str) -> str:
    """The text for an element or an attribute: shown as it is, with `␦` for what would not be seen."""
    seen = _HIDDEN.sub(SHOWN_INSTEAD, _BREAKS.sub(" ", text))
    return html.escape(_MARKS.sub(r"\1", seen), quote=True)
