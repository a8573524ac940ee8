"""What was counted of the uses of a memory since they were last kept (MEM-004 §4.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.promotion import with_uses


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
    text_count: int = 0
    """Of the uses of a piece, those that count for the first piece of its text too: one of each look at the text."""
    text_tokens: str = ""


def use_of_text(use: Use, first_id: str) -> Use:
    """What uses of a piece are for the first piece of its text."""
    return Use(first_id, use.at, use.text_count, use.text_tokens, use.found)


def after_use(entry: MemoryEntry, use: Use) -> MemoryEntry:
    """The entry with its uses counted; being found is noted of a cold one alone."""
    found = use.found and entry.level is Level.COLD
    return replace(
        entry,
        last_accessed=max(entry.last_accessed, use.at),
        access_count=entry.access_count + use.count,
        used_at=max(entry.used_at, use.at),
        recent=with_uses(entry.recent, (use.tokens,)),
        found_at=max(entry.found_at, use.at) if found else entry.found_at,
    )
