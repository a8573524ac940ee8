"""The lines of manifest.md, and where its sections are (§3)."""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.route import Category
from memory_custodian.rules.text import fenced
from memory_custodian.rules.value import Value

__all__ = [
    "ALWAYS_HEADING",
    "BUDGET_HEADING",
    "INDEX_HEADING",
    "PROTOCOL_HEADING",
    "TASK_HEADINGS",
    "Heading",
    "Page",
    "page_of",
]

PROTOCOL_HEADING: Final = "## MemoryCustodian Protocol"
ALWAYS_HEADING: Final = "## Always load"
INDEX_HEADING: Final = "## Optional module index"
BUDGET_HEADING: Final = "## Context budget"

TASK_HEADINGS: Final[dict[Category, str]] = {
    "planning": "### Planning / architecture / refactoring",
    "implementation": "### Implementation / execution / debugging",
    "artifact": "### User-facing artifact / output",
    "preferences": "### Preferences",
    "history": "### Change history / recap",
    "maintenance": "### Memory maintenance",
}


class Heading(Value):
    """A heading outside code fences."""

    level: int
    name: str
    """Without marks, in small letters: as headings are compared."""
    line: int
    """From 0."""


class Page(Value):
    """A manifest as lines, for reading and for editing it."""

    lines: tuple[str, ...]
    inside: tuple[bool, ...]
    """Which lines belong to a code fence."""
    headings: tuple[Heading, ...]

    def places(self, heading: str) -> tuple[Heading, ...]:
        """Return every place of a heading, of its level and whatever its case."""
        level, name = heading.index(" "), _name(heading)
        return tuple(found for found in self.headings if (found.level, found.name) == (level, name))

    def end(self, heading: Heading, deepest: int) -> int:
        """Return the line, from 0, of the next heading of at most that depth, or the number of lines."""
        later = (other.line for other in self.headings if other.line > heading.line and other.level <= deepest)
        return next(later, len(self.lines))

    def content(self, heading: Heading, deepest: int) -> tuple[tuple[int, str], ...]:
        """Return the numbered lines below a heading outside code fences, up to that end."""
        numbers = range(heading.line + 1, self.end(heading, deepest))
        return tuple((number, self.lines[number]) for number in numbers if not self.inside[number])


def page_of(text: str) -> Page:
    """Return the lines of a manifest with the headings among them; code fences hide theirs."""
    lines = text.split("\n")
    inside = fenced(lines)
    headings = (
        Heading(level, _name(line), number)
        for number, line in enumerate(lines)
        if not inside[number] and (level := _level(line))
    )
    return Page(tuple(lines), tuple(inside), tuple(headings))


def _level(line: str) -> int:
    """Return the depth of a heading; 0 for a line that is none."""
    level = len(line) - len(line.lstrip("#"))
    return level if level <= 6 and (len(line) == level or line[level].isspace()) else 0


def _name(line: str) -> str:
    return line.strip().strip("#").strip().casefold()
