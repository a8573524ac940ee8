"""A Markdown text as its sections: what stands under each heading, with front matter apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_CLOSING = re.compile(r"(?:^|[ \t])#+$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-{2,})[ \t]*")
_PLAIN = re.compile(r" {0,3}[^\s#>*+\-|`~=<\d]")
"""How the line above an underline begins that makes it a heading: not a list, a table or a quote."""
_FRONT = "---"


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next one of any depth."""

    headings: tuple[str, ...]
    """From the outermost; none for what stands before the first."""
    line: int
    """Of its first line, from 1."""
    text: str
    """As it stands, with its heading."""
    body: str
    """The same without it."""


@dataclass(frozen=True, slots=True)
class Sectioned:
    """A Markdown text in parts."""

    front_matter: str
    """As it stands between its marks; "" without any."""
    sections: tuple[Section, ...]


def sectioned(text: str, *, underlined: bool = True) -> Sectioned:
    """The sections of a text; headings in code fences are none (CommonMark §4.2–4.5).

    Whether a line that is underlined is a heading as well.
    """
    lines = text.split("\n")
    front, first = _front_matter(lines)
    return Sectioned(front, tuple(_sections(lines, first, underlined)))


def _front_matter(lines: Sequence[str]) -> tuple[str, int]:
    """The front matter, and the line that comes after it."""
    if lines[0].rstrip() != _FRONT:
        return "", 0
    for at in range(1, len(lines)):
        if lines[at].rstrip() in (_FRONT, "..."):
            return "\n".join(lines[1:at]), at + 1
    return "", 0


def _sections(lines: Sequence[str], first: int, underlined: bool) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    start, body = first, first
    for at, after, depth, title in _headings(lines, first, underlined):
        yield from _section(lines, path, start, body, at)
        path = [*(each for each in path if each[0] < depth), (depth, title)]
        start, body = at, after
    yield from _section(lines, path, start, body, len(lines))


def _section(
    lines: Sequence[str], path: Sequence[tuple[int, str]], start: int, body: int, end: int
) -> Iterator[Section]:
    text = "\n".join(lines[start:end]).strip()
    if text:
        yield Section(tuple(title for _, title in path), start + 1, text, "\n".join(lines[body:end]).strip())


def _headings(lines: Sequence[str], first: int, underlined: bool) -> Iterator[tuple[int, int, int, str]]:
    """Each heading: its line, the line after it, its depth and title."""
    fence = ""
    for at in range(first, len(lines)):
        line = lines[at]
        mark = _FENCE.fullmatch(line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not mark[2].strip()
            fence = "" if closes else fence
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
        elif found := _HEADING.fullmatch(line):
            yield at, at + 1, len(found[1]), _CLOSING.sub("", found[2].strip()).strip()
        elif underlined and at > first and (under := _UNDERLINE.fullmatch(line)) and _is_title(lines, at - 1, first):
            yield at - 1, at + 1, 1 if under[1] else 2, lines[at - 1].strip()


def _is_title(lines: Sequence[str], at: int, first: int) -> bool:
    """Whether a line stands alone above an underline."""
    return bool(_PLAIN.match(lines[at])) and (at == first or not lines[at - 1].strip())
