"""The documents of the repository as tests see them: their blocks, headings and links."""

from __future__ import annotations

import re
from dataclasses import dataclass

from csbond_tests.repository import REPOSITORY

__all__ = ["Block", "Page", "anchor_of", "page"]

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_COMMANDS = ("sh", "console")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block."""

    page: str
    line: int
    """Of its first line of text, from 1."""
    language: str
    flags: tuple[str, ...]
    """The words after the language."""
    text: str

    @property
    def runs(self) -> bool:
        """Whether its commands are executed."""
        return "no-test" not in self.flags

    @property
    def has_commands(self) -> bool:
        """Whether it is something to type into a shell."""
        return self.language in _COMMANDS

    def __str__(self) -> str:
        """Where it is."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown document."""

    name: str
    """Its path in the repository."""
    text: str

    @property
    def blocks(self) -> list[Block]:
        """Its fenced blocks, in order."""
        found = []
        for fence in _FENCE.finditer(self.text):
            language, *flags = fence["info"].split() or [""]
            line = self.text.count("\n", 0, fence.start("text")) + 1
            found.append(Block(self.name, line, language, tuple(flags), fence["text"]))
        return found

    @property
    def headings(self) -> list[tuple[int, str]]:
        """(level, words) of each heading."""
        return [(len(marks), words.strip()) for marks, words in _HEADING.findall(self.prose)]

    @property
    def links(self) -> list[str]:
        """Where its links lead, as written."""
        return _LINK.findall(self.prose)

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return _FENCE.sub("", self.text)

    @property
    def anchors(self) -> set[str]:
        """The names its headings can be linked by."""
        return {anchor_of(words) for _, words in self.headings}


def anchor_of(heading: str) -> str:
    """The name that renderers of Markdown give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page(name: str) -> Page:
    """The document at a path of the repository."""
    return Page(name, (REPOSITORY / name).read_text(encoding="utf-8"))
