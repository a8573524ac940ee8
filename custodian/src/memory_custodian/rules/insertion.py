"""Where a new entry goes: newest first, in front of what is there, and without changing what that is (§§4.2, 11.2)."""

from __future__ import annotations

import re

from memory_custodian.rules.parse_blocks import APART, INBOX_SENTINEL, parse
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.text import fenced, lines_of, unclosed_fence

__all__ = ["INBOX_SENTINEL", "append", "placed", "prepend"]

_HEAD = frozenset({"title", "preamble", "body"})
_IN_FORCE = r"## MC-(?!INBOX-)"
"""How an entry begins that can be superseded one day."""
_BLANK_END = r"(?:\n[ \t\r]*)+\Z"


def prepend(text: str, entry: str) -> str:
    """Put an entry before the first entry, heading or bullet, behind title and preamble, blank lines around it.

    The sentence of an empty inbox goes. Bare bullets that may hold get a line that sets them apart from the entry.
    """
    blocks = parse(text)
    first = next((at for at, block in enumerate(blocks) if block.kind not in _HEAD), len(blocks))
    head = _without_sentences("".join(block.text for block in blocks[:first]))
    rest = "".join(block.text for block in blocks[first:])
    if first < len(blocks) and blocks[first].kind == "bullet" and re.match(_IN_FORCE, entry):
        rest = f"{APART}\n\n{rest}"
    return _joined(head, entry, rest)


def append(text: str, entry: str) -> str:
    """Put an entry at the end, behind a blank line."""
    return _joined(text, entry, "")


def placed(file: str, text: str, entry: str, *, newest_first: bool = True) -> str:
    """Put an entry where it is read as it was written and everything else still is what it was.

    In front by preference, else at the end. Refuses where neither is so: a code fence of the file never closes.
    """
    ways = (prepend(text, entry), append(text, entry))
    for made in ways if newest_first else ways[::-1]:
        if _reads_as(made, text, entry):
            return made
    line = unclosed_fence(lines_of(text))
    why = f"the code fence that opens in line {line} never closes" if line else "it would be read as part of another"
    raise Refused(f"{file}: no place for a new entry, because {why}; close the fence, or give the text a heading")


def _reads_as(made: str, text: str, entry: str) -> bool:
    found, old, new = _pieces(made), _pieces(text), _pieces(entry)
    return found in (new + old, old + new)


def _pieces(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text.rstrip()) for block in parse(text) if block.kind not in _HEAD]


def _joined(head: str, entry: str, rest: str) -> str:
    before = re.sub(_BLANK_END, "", head) if head.strip() else ""
    pieces = [before] if before else []
    return "\n\n".join([*pieces, entry.strip("\n")]) + (f"\n\n{rest}" if rest.strip() else "\n")


def _without_sentences(head: str) -> str:
    lines = lines_of(head)
    inside = fenced(lines)
    return "".join(line for at, line in enumerate(lines) if inside[at] or line.strip() not in {INBOX_SENTINEL, APART})
