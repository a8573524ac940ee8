"""What was counted of the uses of a memory since they were last kept (MEM-004 §4.1)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Use:
    """Some uses of one memory; they are no part of its versions."""

    entry_id: str
    at: int
    """The latest of them, in milliseconds since 1970."""
    count: int
    tokens: str = ""
    """What `protocol.memory.promotion.token` writes of each, the oldest first."""
    found: bool = False
    """Whether a search by meaning found it: noted while it is cold, and only then."""
