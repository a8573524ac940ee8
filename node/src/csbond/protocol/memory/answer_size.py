"""How much one answer tells: what is left off comes by a cursor (MEM-003 §3.1)."""

from __future__ import annotations

from collections.abc import Iterable

ANSWER_BYTES = 60_000
"""UTF-8 bytes of JSON: three make about one token of Chinese and four one of English, so below 25,000 tokens."""


def within(sizes: Iterable[int], cap: int = ANSWER_BYTES) -> int:
    """How many rows of these sizes, in bytes, fit below the cap; the first one always does."""
    count, used = 0, 0
    for size in sizes:
        used += size
        if count and used > cap:
            break
        count += 1
    return count
