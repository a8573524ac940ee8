"""When two entries are the same memory, and what becomes of them then."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from csbond.protocol.memory.entry import TAGS_MAX, MemoryEntry
from csbond.protocol.memory.extra_fields import united_extra
from csbond.protocol.memory.link import LINKS_MAX, Link, in_order
from csbond.protocol.memory.link_extra import without_links


@dataclass(frozen=True, slots=True)
class Merge:
    """A known entry with what a fresh one added, and the names of what it has no room for."""

    entry: MemoryEntry
    left_out: tuple[str, ...] = ()


def same_memory(known: MemoryEntry, fresh: MemoryEntry, named: Collection[str] = ()) -> bool:
    """Whether the fresh entry says once more what the known one says, in the same place.

    Its content must be equal letter for letter; likeness is never enough. The place is the Space, the project, whose
    words they are and in which thread, the type, and who may be told. What is deleted and what is a piece of a longer
    text is the same as nothing; so is what was at another time, when the time of the fresh one is `named`.
    """
    at_its_time = "timestamp" not in named or known.timestamp == fresh.timestamp
    return at_its_time and _place(known) == _place(fresh) and _is_whole(known) and _is_whole(fresh)


def merged(known: MemoryEntry, fresh: MemoryEntry, named: Collection[str] = (), hidden: int = 0) -> Merge:
    """The known entry with what the fresh one adds; itself when that is nothing.

    It has some more links that are `hidden`, and no room for others in their place.

    Tags and links are united as far as an entry holds them; of two times to live the longer one counts, for ever (0)
    most, unless that of the fresh one was not `named`; fields that the known one lacks are taken over. Everything else
    stays, who may be told (MEM-007 §7.3) and the tier first.
    """
    tags = tuple(dict.fromkeys((*known.tags, *fresh.tags)))
    links = _united_links(known.links, fresh.links)
    most = max(LINKS_MAX - hidden, len(known.links))
    gone = {link.pair for link in fresh.links} - {link.pair for link in links[:most]}
    extra, left_out = united_extra(known.extra, without_links(fresh.extra, gone))
    longer = 0 if 0 in (known.ttl, fresh.ttl) else max(known.ttl, fresh.ttl)
    united = replace(
        known,
        tags=tags[: max(TAGS_MAX, len(known.tags))],
        ttl=longer if "ttl" in named else known.ttl,
        links=in_order(links[:most]),
        extra=extra,
    )
    left_out = (*(["tags"] if len(tags) > TAGS_MAX else []), *(["links"] if gone else []), *left_out)
    return Merge(known if united == known else united, left_out)


def _place(entry: MemoryEntry) -> tuple[str, ...]:
    origin = entry.origin
    return (
        entry.space,
        entry.project,
        origin.caller_key,
        origin.thread_id,
        origin.speaker,
        entry.type,
        entry.visibility,
        entry.content,
    )


def _is_whole(entry: MemoryEntry) -> bool:
    return not entry.deleted_at and not entry.extends and not entry.piece


def _united_links(known: tuple[Link, ...], fresh: tuple[Link, ...]) -> tuple[Link, ...]:
    pairs = {link.pair for link in known}
    return (*known, *(link for link in fresh if link.pair not in pairs))
