"""How a memory file is cut into lines, and which of them lie in code fences (§4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_custodian.rules.problems import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_custodian.rules.fences import Fences

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


def lines_of(text: str) -> list[str]:
    """Cut at LF alone, each line with its end: other characters that some systems take for line ends are content."""
    *lines, rest = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, rest] if rest else ended


def fenced(lines: Sequence[str]) -> list[bool]:
    """Tell of each line whether it lies in a code fence or delimits one."""
    inside = [False] * len(lines)
    for first, last in fence_spans(lines):
        inside[first : last + 1] = [True] * (last + 1 - first)
    return inside


def fence_spans(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the first and last line of every code fence.

    One in a list item ends with that. Elsewhere one that never closes is none, so that it hides nothing.
    """
    found = _fences(lines)
    return [*found.spans] if found else []


def unclosed_fence(lines: Sequence[str]) -> int | None:
    """Return the line, from 1, of the first fence that opens and never closes."""
    found = _fences(lines)
    return None if found is None or found.unclosed is None else found.unclosed + 1


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


def _fences(lines: Sequence[str]) -> Fences | None:
    """Return the fences; of a text without any mark of one nothing, and at once."""
    if not any("```" in line or "~~~" in line for line in lines):
        return None
    from memory_custodian.rules.fences import fences_of

    return fences_of(lines)
