"""What belongs to a bullet, and what only stands below it (§§4.2, 11.3).

As in CommonMark, but in doubt a line belongs to no bullet: then nobody takes it away together with one.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["content_column", "continues", "indent_of", "is_bullet_item", "is_rule", "is_text"]

_TAB: Final = 4
# Patterns stay texts: `re` compiles and keeps those that are asked for, and most commands meet no bullet.
_ITEM: Final = r" {0,3}(?:[-*+]|\d{1,9}[.)])(?P<space> +(?=\S)|\s*$)"
_RULE: Final = r" {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})\s*$"
_BLOCK: Final = r"#{1,6}(?:\s|$)|\||```|~~~|<[A-Za-z/!?]|-->"
_BEGINS_BLOCK: Final = rf" {{0,3}}(?:{_BLOCK}|>)"
_MARKERS: Final = r"(?:\s*(?:[-*+]|\d{1,9}[.)]|>)(?=\s|$))*\s*"


def content_column(line: str) -> int:
    """Return the column that a line needs to belong to the list item which this line begins; 0 where it begins none."""
    found = re.match(_ITEM, line.expandtabs(_TAB))
    if not found or is_rule(line):
        return 0
    spaces = len(found["space"].rstrip("\r\n"))
    is_text = found.end() < len(line.expandtabs(_TAB).rstrip())
    return found.start("space") + (spaces if is_text and spaces <= _TAB else 1)


def is_bullet_item(line: str) -> bool:
    """Whether a line begins a list item with a bullet, at most three columns in."""
    return line.lstrip(" ")[:1] in {"-", "*", "+"} and content_column(line) > 0


def is_rule(line: str) -> bool:
    """Whether a line is a thematic break, which may look like a bullet."""
    return re.match(_RULE, line) is not None


def indent_of(line: str) -> int:
    """Return the column of the first character that is no white space."""
    wide = line.expandtabs(_TAB)
    return len(wide) - len(wide.lstrip(" "))


def continues(line: str, above: str, column: int) -> bool:
    """Whether a line that is not blank belongs to the item above it, whose text begins in a column.

    A line that is not indented far enough does where it goes on with a paragraph: below text, and nothing of its own.
    """
    if indent_of(line) >= column:
        return True
    if content_column(line) or is_rule(line) or re.match(_BEGINS_BLOCK, line):
        return False
    return is_text(above)


def is_text(line: str) -> bool:
    """Whether a line may be a part of a paragraph, behind the markers of items and quotes that it begins."""
    words = line[_end_of_markers(line) :].strip()
    return bool(words) and not is_rule(line) and not is_rule(words) and not re.match(_BLOCK, words)


def _end_of_markers(line: str) -> int:
    found = re.match(_MARKERS, line)
    return found.end() if found else 0
