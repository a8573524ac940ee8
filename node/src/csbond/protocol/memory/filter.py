"""Which entries a list or a search is about (MEM-003 §3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry
from csbond.protocol.memory.visibility import Audience, may_hear


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Every part narrows, each as much as alone; None and "" narrow nothing."""

    level: Level | None = None
    type: EntryType | None = None
    tag: str = ""
    source: str = ""
    project: str | None = None
    """A project's name, folded."""
    link_target: str = ""
    """What the entry must link to: the id of a memory, or the name of something else."""
    since: int | None = None
    """The earliest timestamp, in milliseconds."""
    until: int | None = None
    """The latest timestamp, in milliseconds: an entry of just then is in."""
    text: str = ""
    """Words that all stand in the content or the tags, by the word index of the store."""
    thread: str = ""
    """The thread the entry comes from."""
    deleted: bool = False
    """The softly deleted ones instead of the living."""


def admits(entry_filter: EntryFilter, audience: Audience, entry: MemoryEntry) -> bool:
    """Whether an entry passes the filter and may be told to the audience; its `text` is the word index's to judge."""
    return (
        bool(entry.deleted_at) is entry_filter.deleted
        and entry_filter.level in (None, entry.level)
        and entry_filter.type in (None, entry.type)
        and (not entry_filter.tag or entry_filter.tag in entry.tags)
        and entry_filter.source in ("", entry.source)
        and entry_filter.project in (None, entry.project)
        and (entry_filter.since is None or entry.timestamp >= entry_filter.since)
        and (entry_filter.until is None or entry.timestamp <= entry_filter.until)
        and entry_filter.thread in ("", entry.origin.thread_id)
        and (not entry_filter.link_target or any(link.target_id == entry_filter.link_target for link in entry.links))
        and may_hear(audience, entry)
    )
