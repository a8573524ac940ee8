"""Texts of others on a terminal: what would steer it is shown instead of sent."""

from __future__ import annotations

import re

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tab and line feed, marks that reorder what is read, halves of characters."""

_ESCAPED_IN_JSON = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """The text with every character that would steer a terminal written as its escape, e.g. `\\x1b`."""
    return _STEERING.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The text on one line."""
    return " ".join(plain(text).split())


def plain_json(document: str) -> str:
    """A JSON text that no terminal is steered by; it means the same."""
    return _ESCAPED_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
