"""Which entries a list or a search is about (MEM-003 §3.1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from csbond.protocol.memory import entry_fields as fields
from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry, refused
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link_fields import TARGET
from csbond.protocol.memory.project import THREAD_PROJECT, folded_name
from csbond.protocol.memory.tolerance import truth
from csbond.protocol.memory.visibility import Audience, may_hear, told_by
from csbond.protocol.memory.words import query_terms

TAG_NAME_MAX = 256
"""Code points of a tag that is looked for: longer than any that is kept, so that a long one finds nothing."""
TEXT_MAX = 4096
"""Code points of the words that are looked for, as many as of a search."""
WORDS_MAX = 32
"""Words that are looked for: more than anybody remembers of an entry, and each is looked up."""
THREAD_MAX = 256
"""Code points of a thread's id that is looked for."""


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which vectors a search is about."""

    filter: EntryFilter = field(default_factory=EntryFilter)
    """Its `text`, tag and link are not asked for: what they leave is in the ids."""
    audience: Audience = field(default_factory=lambda: Audience(everything=True))
    ids: Set[str] | None = None
    """Only these entries; None for all."""


def admits(entry_filter: EntryFilter, audience: Audience, entry: MemoryEntry) -> bool:
    """Whether an entry passes the filter and may be told to the audience; its `text` is the word index's to judge."""
    return (
        bool(entry.deleted_at) is entry_filter.deleted
        and (not entry_filter.tag or entry_filter.tag in entry.tags)
        and (not entry_filter.link_target or any(link.target_id == entry_filter.link_target for link in entry.links))
        and lets_in(entry_filter, audience, entry)
    )


def lets_in(entry_filter: EntryFilter, audience: Audience, entry: MemoryEntry | Facets) -> bool:
    """Whether what is known of a living entry passes the filter, whose `text`, tag and link are not asked for."""
    return (
        entry_filter.level in (None, entry.level)
        and entry_filter.type in (None, entry.type)
        and entry_filter.source in ("", entry.source)
        and entry_filter.project in (None, entry.project)
        and (entry_filter.since is None or entry.timestamp >= entry_filter.since)
        and (entry_filter.until is None or entry.timestamp <= entry_filter.until)
        and (not entry_filter.thread or (entry_filter.thread == entry.origin.thread_id and told_by(audience, entry)))
        and may_hear(audience, entry)
    )


def told_filter(entry_filter: EntryFilter, audience: Audience) -> EntryFilter:
    """The filter as it is for an audience: a project that is a thread is looked for as one.

    Which thread an entry comes from is told to who told it.
    """
    thread = entry_filter.project or ""
    if audience.everything or entry_filter.thread or not thread.startswith(THREAD_PROJECT):
        return entry_filter
    return replace(entry_filter, thread=thread.removeprefix(THREAD_PROJECT))


def checked_filter(raw: Mapping[str, Any], names: LevelNames, now: int) -> EntryFilter:
    """The filter that a client names by its parts; what it leaves out narrows nothing.

    `invalid_params` for a part there is none of, for an empty value (null too) and one that cannot be read, and for a
    time that can match nothing, after its end or ahead of the clock: a filter that is not understood never means
    everything. Times are milliseconds, as numbers or as their digits.
    """
    for name in raw:
        if name not in FILTERS:
            raise refused(str(name)[:64], f"is no part of a filter; there are {', '.join(FILTERS)}")
    parts = {name: _READERS[name](name, raw[name]) for name in raw if name != "level"}
    wanted = EntryFilter(level=names.level(raw["level"]) if "level" in raw else None, **parts)
    if wanted.since is not None and wanted.since > now + fields.CLOCK_SKEW_MS:
        raise refused("since", "is more than five minutes ahead of this node's clock: no entry is that late")
    if wanted.since is not None and wanted.until is not None and wanted.since > wanted.until:
        raise refused("since", f"must not be later than until, which is {wanted.until}")
    return wanted


def _tag(name: str, value: Any) -> str:
    return unicodedata.normalize("NFC", fields.checked_name(name, value, TAG_NAME_MAX)).strip()


def _text(name: str, value: Any) -> str:
    text = fields.checked_name(name, value, TEXT_MAX)
    words = len(query_terms(text).pieces)
    if words > WORDS_MAX:
        raise refused(name, f"has {words} words; at most {WORDS_MAX} are looked for")
    return text


def _thread(name: str, value: Any) -> str:
    return fields.checked_name(name, value, THREAD_MAX)


def _project(name: str, value: Any) -> str:
    return folded_name(fields.PROJECT.exact(name, value))


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "type": fields.TYPE.exact,
    "tag": _tag,
    "source": fields.SOURCE.exact,
    "project": _project,
    "link_target": TARGET.exact,
    "since": fields.COUNT.loose,
    "until": fields.COUNT.loose,
    "text": _text,
    "thread": _thread,
    "deleted": truth,
}
FILTERS = ("level", *_READERS)
"""The parts of a filter, by the names that clients use."""
