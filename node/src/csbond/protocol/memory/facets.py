"""What an index keeps of a memory, so that a search is narrowed where it is made (MEM-003 §3.1)."""

from __future__ import annotations

from dataclasses import dataclass, field

from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry, Origin, Visibility


@dataclass(frozen=True, slots=True)
class Facets:
    """All that a filter asks of an entry but its words, tags and links, by the names the entry has for it."""

    type: EntryType
    timestamp: int
    source: str
    level: Level
    visibility: Visibility = Visibility.PRIVATE
    origin: Origin = field(default_factory=Origin)
    """The caller and the thread; nothing else of it counts."""
    project: str = ""


def facets_of(entry: MemoryEntry) -> Facets:
    """What an index keeps of an entry beside its vector."""
    origin = Origin(entry.origin.caller_key, entry.origin.thread_id)
    return Facets(entry.type, entry.timestamp, entry.source, entry.level, entry.visibility, origin, entry.project)
