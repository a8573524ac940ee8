"""Which entries a list or a search is about (MEM-003 §3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry
from csbond.protocol.memory.visibility import Audience, may_hear


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Every part narrows; None and "" narrow nothing."""

    level: Level | None = None
    type: EntryType | None = None
    tag: str = ""
    source: str = ""


def admits(entry_filter: EntryFilter, audience: Audience, entry: MemoryEntry) -> bool:
    """Whether a living entry passes the filter and may be told to the audience."""
    return (
        not entry.deleted_at
        and entry_filter.level in (None, entry.level)
        and entry_filter.type in (None, entry.type)
        and (not entry_filter.tag or entry_filter.tag in entry.tags)
        and entry_filter.source in ("", entry.source)
        and may_hear(audience, entry)
    )
