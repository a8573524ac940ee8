"""How a memory file is cut into lines, and which of them lie in code fences (§4.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory_custodian.rules.list_items import content_column, indent_of
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.value import Value

__all__ = [
    "TITLE_LENGTH",
    "fence_spans",
    "fenced",
    "lines_of",
    "one_line",
    "require_unicode",
    "title_of",
    "unclosed_fence",
]

TITLE_LENGTH: Final = 72
"""Characters of a message that its heading shows."""

_DELIMITER = r" {0,3}(`{3,}|~{3,})([^\n]*)"


class _Delimiter(Value):
    at: int
    mark: str
    length: int
    info: str


def lines_of(text: str) -> list[str]:
    """Cut at LF alone, each line with its end: other characters that some systems take for line ends are content."""
    *lines, rest = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, rest] if rest else ended


def fenced(lines: Sequence[str]) -> list[bool]:
    """Tell of each line whether it lies in a code fence or delimits one; a fence that never closes is none."""
    inside = [False] * len(lines)
    for first, last in fence_spans(lines):
        inside[first : last + 1] = [True] * (last + 1 - first)
    return inside


def fence_spans(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the first and last line of every code fence."""
    return _fences(lines)[0]


def unclosed_fence(lines: Sequence[str]) -> int | None:
    """Return the line, from 1, of the first fence that opens and never closes."""
    at = _fences(lines)[1]
    return None if at is None else at + 1


def one_line(text: str) -> str:
    """Collapse every run of white space to one space."""
    return " ".join(text.split())


def title_of(message: str) -> str:
    """Return what a heading shows of a message: one line, cut at 72 characters; Untitled where nothing is left."""
    return one_line(message)[:TITLE_LENGTH].rstrip() or "Untitled"


def require_unicode(what: str, text: str) -> None:
    """Refuse text that UTF-8 cannot hold, as an argument that was typed in another encoding."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused(f"{what} is not valid UTF-8 at character {error.start + 1}; accepted: Unicode text") from None


def _fences(lines: Sequence[str]) -> tuple[list[tuple[int, int]], int | None]:
    """Pair delimiters as CommonMark does, but let an opening one without a closing one stand as plain text.

    A fence ends with the list item it stands in: what is marked beyond that has another beginning.
    """
    found = _delimiters(lines)
    pairs: list[tuple[int, int]] = []
    unclosed: int | None = None
    hopeless: dict[str, int] = {}
    index = 0
    while index < len(found):
        opening = found[index]
        index += 1
        if opening.mark == "`" and "`" in opening.info:
            continue
        closing = None if opening.length >= hopeless.get(opening.mark, 1 << 30) else _closing(found, index, opening)
        if closing is not None and found[closing].at >= _end_of_item(lines, opening.at):
            unclosed = opening.at if unclosed is None else unclosed
        elif closing is None:
            hopeless[opening.mark] = min(opening.length, hopeless.get(opening.mark, 1 << 30))
            unclosed = opening.at if unclosed is None else unclosed
        else:
            pairs.append((opening.at, found[closing].at))
            index = closing + 1
    return pairs, unclosed


def _end_of_item(lines: Sequence[str], at: int) -> int:
    """Return where the list item ends that a delimiter stands in, and a fence with it; the end where it is in none."""
    column = _column_of_item(lines, at)
    below = (number for number in range(at + 1, len(lines)) if lines[number].strip())
    return next((number for number in below if indent_of(lines[number]) < column), len(lines))


def _column_of_item(lines: Sequence[str], at: int) -> int:
    """Return the column in which the text of that item begins; 0 where the delimiter stands in none."""
    indent = indent_of(lines[at])
    for number in range(at - 1, -1, -1) if indent else ():
        column = content_column(lines[number])
        if 0 < column <= indent:
            return column
        if lines[number].strip() and not indent_of(lines[number]):
            return 0
    return 0


def _closing(found: Sequence[_Delimiter], start: int, opening: _Delimiter) -> int | None:
    for index in range(start, len(found)):
        delimiter = found[index]
        if delimiter.mark == opening.mark and delimiter.length >= opening.length and not delimiter.info:
            return index
    return None


def _delimiters(lines: Sequence[str]) -> list[_Delimiter]:
    found = []
    for at, line in [(at, line) for at, line in enumerate(lines) if "```" in line or "~~~" in line]:
        matched = re.match(_DELIMITER, line)
        if matched:
            run = matched[1]
            found.append(_Delimiter(at, run[0], len(run), matched[2].strip(" \t\r")))
    return found
