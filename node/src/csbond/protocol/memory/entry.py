"""A memory entry and what makes one acceptable (MEM-001 §1.3–1.4, MEM-002 §2.1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.link import Link

HOME_SPACE = "home"
"""The Space of everything that is told to or written on this node."""
CONTENT_MAX = 2048
"""Unicode code points after NFC, by MEM-001 §1.3 (the published schema's 4,096 contradicts it)."""
TAG_MAX = 32
"""Code points of one tag (MEM-002 §2.1)."""
TAGS_MAX = 20
"""Tags of one entry, by the published schema; the text names no number."""
EMBEDDING_MAX = 2048
"""Dimensions of a supplied embedding (MEM-002 §2.1)."""


class Level(StrEnum):
    """The three tiers (MEM-001 §1.1)."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Visibility(StrEnum):
    """Who may be told of an entry (MEM-007 §7.3)."""

    PUBLIC = "public"
    TRUSTED = "trusted"
    PRIVATE = "private"


EntryType = Literal[
    "event",
    "decision",
    "lesson",
    "todo",
    "discovery",
    "preference",
    "identity",
    "correction",
    "other",
    "relation",
    "reflection",
]
ENTRY_TYPES: tuple[EntryType, ...] = (
    "event",
    "decision",
    "lesson",
    "todo",
    "discovery",
    "preference",
    "identity",
    "correction",
    "other",
    "relation",
    "reflection",
)
"""The eight of MEM-001, `correction` of the published schema, and two of the exchange format (CSB v1.0 §1.2.4)."""
SOURCES = ("session", "user", "system", "skill", "agent", "migration")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an entry came from: whose words, in which thread and message; empty for entries written by hand.

    Without a caller it is not to be told beyond who spoke.
    """

    caller_key: str = "owner"
    thread_id: str = ""
    message_id: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One remembered thing, as it is stored; times are milliseconds since 1970."""

    id: str
    space: str
    type: EntryType
    content: str
    tags: tuple[str, ...]
    timestamp: int
    source: str
    level: Level
    visibility: Visibility = Visibility.PRIVATE
    origin: Origin = field(default_factory=Origin)
    last_accessed: int = 0
    access_count: int = 0
    ttl: int = 0
    """Milliseconds to live; 0 keeps it until something else decides."""
    version: int = 1
    extends: str = ""
    """The entry this one goes on from: a long text in pieces."""
    piece: int = 0
    """The place among the pieces of one text, from 0."""
    deleted_at: int = 0
    """When it was softly deleted; 0 while it lives (MEM-005 §5.2)."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields this version does not know, kept and given back (MEM-001 §1.4.2 rule 1)."""
    seq: int = 0
    """The place in the Space's order of commits, given by the ledger."""
    kept_at: int = 0
    """When this node first kept it; it never changes."""
    project: str = ""
    """What its tier counts it with, folded: see `protocol/memory/project.py` (MEM-001 §1.1)."""
    deleted_by: str = ""
    """What deleted it softly: `manual` for a caller's wish; empty while it lives (MEM-005 §5.4)."""
    deleter: str = ""
    """Who wished it softly deleted: the key of a caller, or `rule:` and the name of a rule; empty for all else."""
    text_seq: int = 0
    """The place in the Space's order at which its content last changed."""
    links: tuple[Link, ...] = ()
    """Its links to living memories and to what is no memory, as the ledger reads them; they are written apart."""
    linked: bool = False
    """Whether it has links or had some, hidden ones too: then its version alone does not say how it is shown."""
    used_at: int = 0
    """The latest use, or when it was kept before the first; counted apart from its versions (MEM-004 §4.1)."""
    recent: str = ""
    """Its latest uses, as `protocol/memory/promotion.py` writes them: the oldest first, 16 characters each."""
    found_at: int = 0
    """When a search by meaning found it while it was cold; 0 again with every change of tier (MEM-004 §4.2)."""
    moved_at: int = 0
    """As of when it last changed its tier, or was deleted by itself; 0 before the first time."""
    spared_until: int = 0
    """Until when no rule and no time to live takes it: a person brought it back, or did not let it go."""


def checked_content(value: object) -> str:
    """The content in NFC; `invalid_params` when it is empty, too long or not sayable in UTF-8."""
    if not isinstance(value, str) or not value.strip():
        raise refused("content", "must be a text that is not empty")
    text = unicodedata.normalize("NFC", checked_text("content", value))
    if len(text) > CONTENT_MAX:
        raise refused("content", f"has {len(text)} characters; at most {CONTENT_MAX} are kept in one entry")
    return text


def checked_text(name: str, value: str) -> str:
    """The text, when UTF-8 can say it and no NUL is in it."""
    if "\x00" in value:
        raise refused(name, "must not hold the NUL character")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as fault:
        raise refused(name, "holds half of a surrogate pair, which is not a character") from fault
    return value


def checked_tags(value: object) -> tuple[str, ...]:
    """Tags in NFC, each once, in their order; `invalid_params` for one that is empty or too long."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(tag, str) for tag in value):
        raise refused("tags", "must be a list of texts")
    tags = tuple(dict.fromkeys(unicodedata.normalize("NFC", checked_text("tags", tag)).strip() for tag in value))
    if any(not _is_visible(tag) or len(tag) > TAG_MAX for tag in tags):
        raise refused("tags", f"must each have 1 to {TAG_MAX} characters, of which one can be seen")
    if len(tags) > TAGS_MAX:
        raise refused("tags", f"an entry has at most {TAGS_MAX} tags")
    return tags


def _is_visible(text: str) -> bool:
    return any(unicodedata.category(letter) not in ("Cc", "Cf", "Zl", "Zp", "Zs") for letter in text)


def refused(name: str, reason: str) -> RemoteProtocolError:
    """The error for one field of an entry."""
    return RemoteProtocolError("invalid_params", f"{name} {reason}", field=name)
