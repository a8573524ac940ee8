"""When two entries are the same memory, and what becomes of them then."""

from __future__ import annotations

from dataclasses import replace

from csbond.protocol.memory.entry import TAGS_MAX, MemoryEntry
from csbond.protocol.memory.extra_fields import united_extra
from csbond.protocol.memory.link import LINKS_MAX, Link


def same_memory(known: MemoryEntry, fresh: MemoryEntry) -> bool:
    """Whether the fresh entry says once more what the known one says, in the same place.

    Its content must be equal letter for letter; likeness is never enough. The place is the Space, the project, whose
    words they are and in which thread, the type, and who may be told. What is deleted and what is a piece of a longer
    text is the same as nothing.
    """
    return _place(known) == _place(fresh) and _is_whole(known) and _is_whole(fresh)


def merged(known: MemoryEntry, fresh: MemoryEntry) -> MemoryEntry:
    """The known entry with what the fresh one adds; itself when that is nothing.

    Tags and links are united as far as an entry holds them; the longer time to live counts, for ever (0) most; fields
    that the known one lacks are taken over. Everything else stays, who may be told (MEM-007 §7.3) and the tier first.
    """
    united = replace(
        known,
        tags=known.tags
        + tuple(tag for tag in fresh.tags if tag not in known.tags)[: max(0, TAGS_MAX - len(known.tags))],
        ttl=0 if 0 in (known.ttl, fresh.ttl) else max(known.ttl, fresh.ttl),
        links=_united_links(known.links, fresh.links),
        extra=united_extra(known.extra, fresh.extra),
    )
    return known if united == known else united


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
    pairs = {(link.target_id, link.relation) for link in known}
    added = [link for link in fresh if (link.target_id, link.relation) not in pairs][: max(0, LINKS_MAX - len(known))]
    return tuple(sorted((*known, *added), key=lambda link: (link.target_id, link.relation)))
