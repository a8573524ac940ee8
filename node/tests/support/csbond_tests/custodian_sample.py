"""The form of a sample for the scanners, and what its texts are made of."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DASHES", "LETTERS", "Sample", "fillers"]

LETTERS = "q7Zk2mX9vB4tR8wL1nJ6pC3s"
DASHES = "-" * 5


def fillers(start: str, length: int) -> tuple[str, ...]:
    """Tokens that stand for one: zeros, the letter x, both, and a word that says so."""
    made = ("0" * length, "x" * length, "X" * length, ("0" * 8 + "x" * length)[:length])
    return tuple(f"{start}{one}" for one in made)


class Sample(NamedTuple):
    """One kind of finding: texts with the part that must never be shown, and texts without a finding of the kind."""

    category: str
    kind: str
    severity: str
    hits: tuple[tuple[str, str], ...]
    misses: tuple[str, ...]
