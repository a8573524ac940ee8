"""When two pieces of text are the same, for cleaning: exactly, but for case and the space at line ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memory_custodian.rules.blocks import Block

__all__ = ["duplicates", "unit_key"]

_MARKERS = frozenset("-*+")


def unit_key(text: str) -> str:
    """Return what is compared: the text without its bullet, with the indentation of its later lines."""
    first, *later = text.strip("\n").split("\n")
    inner = first.lstrip()
    bare = inner[1:] if inner[:1] in _MARKERS and inner[1:2].isspace() else first
    return "\n".join([bare.strip(), *(line.rstrip() for line in later)]).rstrip().casefold()


def duplicates(blocks: Iterable[Block]) -> Iterator[int]:
    """Yield the place of every bullet that repeats an earlier one."""
    seen: set[str] = set()
    for place, block in enumerate(blocks):
        if block.kind == "bullet":
            key = unit_key(block.text)
            if key in seen:
                yield place
            seen.add(key)
