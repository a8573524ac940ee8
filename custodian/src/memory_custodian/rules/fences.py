"""Which lines of a text are code fences, and where each ends: with the list item it stands in, as in CommonMark (§4.2).

One pass from the first line to the last. It keeps the open list items and whether a paragraph is open, since a line
that only goes on with a paragraph belongs to its item however little it is indented. No line is looked at twice.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from memory_custodian.rules.list_items import is_rule, is_text
from memory_custodian.rules.value import Value

__all__ = ["Fences", "fences_of"]

_TAB: Final = 4
_DELIMITER: Final = re.compile(r"(`{3,}|~{3,})([^\n]*)")
_CLOSING: Final = r" {0,3}(`{3,}|~{3,})[ \t\r\n]*\Z"
_MARKER: Final = re.compile(r"(?:[-*+]|(?P<number>\d{1,9})[.)])(?P<space> +(?=\S)|$)")
_MAY_BEGIN: Final = frozenset("`~#<>-*+_=0123456789")
"""What the first character of a line may be that is more than text."""
_BLOCK: Final = re.compile(r"#{1,6}(?: |$)|<[A-Za-z/!?]")
_QUOTED: Final = 1 << 30
"""The column of a quote: no line goes on with it by being indented."""
_DEEPEST: Final = 32
"""List items that one line may begin; nobody writes as many, and a line of markers alone takes no quadratic time."""


class Fences(Value):
    """The code fences of a text."""

    spans: tuple[tuple[int, int], ...]
    """First and last line of each. A fence that the line of a list item opens begins below: that line is the item's."""
    unclosed: int | None
    """The first line that opens a fence which nothing closes: in an item it ends with that, elsewhere it is none."""


class _Open(Value):
    """The fence that is open."""

    at: int
    first: int
    mark: str
    length: int
    column: int
    """Where the text of its list item begins; 0 where it stands in none."""


def fences_of(lines: Sequence[str]) -> Fences:
    """Return the fences of a text that is cut into lines."""
    reader = _Reader(lines)
    for at, line in enumerate(lines):
        reader.read(at, line)
    reader.end_fence()
    return Fences(tuple(reader.spans), reader.unclosed)


class _Reader:
    """Reads line by line, and knows at each what is open there."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.spans: list[tuple[int, int]] = []
        self.unclosed: int | None = None
        self._closing = _Closing(lines)
        self._columns: list[int] = []
        """Where the text of each open list item begins, from the outermost."""
        self._paragraph = False
        self._is_bare = False
        """Whether the line above is the marker of an item alone."""
        self._fence: _Open | None = None
        self._last = 0
        """The last line that is not blank."""

    def read(self, at: int, line: str) -> None:
        """Take the next line in."""
        wide = line.expandtabs(_TAB).rstrip(" \r\n")
        if not wide:
            self._blank()
            return
        text = wide.lstrip(" ")
        indent = len(wide) - len(text)
        if self._fence and indent < self._fence.column:
            self.end_fence()
        if self._fence:
            self._inside(at, text, indent)
        else:
            self._outside(at, text, indent)
        self._last = at

    def end_fence(self) -> None:
        """End a fence that its list item ends, or the text; blank lines behind it are none of its lines."""
        if self._fence:
            self.unclosed = self._fence.at if self.unclosed is None else self.unclosed
            self._keep(self._fence.first, self._last)

    def _keep(self, first: int, last: int) -> None:
        if first <= last:
            self.spans.append((first, last))
        self._fence = None

    def _blank(self) -> None:
        self._paragraph = False
        if self._is_bare and not self._fence:
            self._columns.pop()
        self._is_bare = False

    def _inside(self, at: int, text: str, indent: int) -> None:
        fence = self._fence
        found = _DELIMITER.match(text) if fence and text[0] == fence.mark else None
        if fence and found and not found[2] and len(found[1]) >= fence.length and indent - fence.column < _TAB:
            self._keep(fence.first, at)

    def _outside(self, at: int, text: str, indent: int) -> None:
        depth = bisect_right(self._columns, indent)
        column = self._columns[depth - 1] if depth else 0
        self._is_bare = False
        if indent - column >= _TAB:
            self._leave(depth, paragraph=False, lazy=True)
        elif text[0] not in _MAY_BEGIN:
            self._leave(depth, paragraph=True, lazy=True)
        else:
            self._begin(at, text, indent, depth)

    def _leave(self, depth: int, *, paragraph: bool, lazy: bool = False) -> None:
        """Close the items that a line does not belong to: none, where it may go on with an open paragraph."""
        if not (lazy and self._paragraph):
            del self._columns[depth:]
            self._paragraph = paragraph

    def _begin(self, at: int, text: str, indent: int, depth: int) -> None:
        """Take in a line which may begin something, at most three columns into what it belongs to."""
        first = at
        for _ in range(_DEEPEST):
            marker = None if is_rule(text) else _MARKER.match(text)
            if not marker or not self._may_interrupt(marker, text, depth):
                break
            self._leave(depth, paragraph=False)
            space = len(marker["space"])
            self._columns.append(indent + marker.start("space") + (space if 0 < space <= _TAB else 1))
            depth, first = len(self._columns), at + 1
            text, indent = text[marker.end() :], indent + marker.end()
            if not text:
                self._is_bare = True
                return
            if indent - self._columns[-1] >= _TAB:
                return
        self._block(at, first, text, depth)

    def _may_interrupt(self, marker: re.Match[str], text: str, depth: int) -> bool:
        """Whether a marker begins an item: within a paragraph only one with text does, and a number that is 1."""
        in_paragraph = self._paragraph and depth == len(self._columns)
        return not in_paragraph or (marker["number"] in {None, "1"} and marker.end() < len(text))

    def _block(self, at: int, first: int, text: str, depth: int) -> None:
        """Take in what a line says behind the markers of its items."""
        found = _DELIMITER.match(text)
        if found and not ("`" in found[2] and found[1][0] == "`"):
            self._leave(depth, paragraph=False)
            self._open(at, first, found[1])
        elif text[0] == ">":
            self._leave(depth, paragraph=is_text(text))
            self._columns.append(_QUOTED)
        elif is_rule(text) or _BLOCK.match(text):
            self._leave(depth, paragraph=False)
        elif text.strip("=") or not self._paragraph or depth < len(self._columns):
            self._leave(depth, paragraph=True, lazy=True)
        else:
            self._paragraph = False

    def _open(self, at: int, first: int, run: str) -> None:
        """Open a fence, outside of list items only one that a later line closes."""
        column = self._columns[-1] if self._columns else 0
        if column or self._closing.is_below(at, run):
            self._fence = _Open(at, first, run[0], len(run), column)
        else:
            self.unclosed = at if self.unclosed is None else self.unclosed


class _Closing:
    """Knows whether a fence can still close: a line for each mark, and from there on the longest delimiter alone."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = {"`": [], "~": []}
        self._longest: dict[str, list[int]] = {"`": [], "~": []}
        for at in range(len(lines) - 1, -1, -1):
            found = re.match(_CLOSING, lines[at]) if "```" in lines[at] or "~~~" in lines[at] else None
            if found:
                longest = self._longest[found[1][0]]
                longest.append(max(len(found[1]), longest[-1] if longest else 0))
                self._places[found[1][0]].append(-at)

    def is_below(self, at: int, run: str) -> bool:
        """Whether a line below one closes the fence which that opens."""
        count = bisect_left(self._places[run[0]], -at)
        return count > 0 and self._longest[run[0]][count - 1] >= len(run)
