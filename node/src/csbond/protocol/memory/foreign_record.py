"""What comes from elsewhere to become memories: records of any format, in the one form that imports take."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.memory.entry import TAG_MAX, TAGS_MAX, checked_tags, refused
from csbond.protocol.memory.link_fields import RELATION

AGENT_MAX = 256
"""Code points of the name of whom memories come from."""
SOURCE = "migration"
"""What the source of a memory is called that comes from a system which names none."""
UNNAMED = "relates_to"
"""The relation of a link whose own name no relation may have; what it was called is kept beside it."""


@dataclass(frozen=True, slots=True)
class ForeignName:
    """What a record is known by when it comes again: a key of its source, else its time (CSB v1.0 §1.2.4)."""

    agent: str
    key: str = ""
    timestamp: int = 0
    """Milliseconds since 1970; 0 for what has a key."""


@dataclass(frozen=True, slots=True)
class ForeignVector:
    """A vector that another model made; it never enters the index of this one as it is."""

    numbers: bytes
    """32-bit floats, little-endian, one after the other."""
    dimension: int
    model: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ForeignLink:
    """A link as a source says it."""

    target: str
    """The key of another record of the source, the id of a memory, or `<scheme>:<name>` of what is none."""
    relation: str
    weight: float = 1.0
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What the source says of it beside these; as `declared` its relation, where none may be called so."""


@dataclass(frozen=True, slots=True)
class ForeignRecord:
    """One thing to remember."""

    place: str
    """Where it stands in its source, for a person: `line 3`, `notes/a.md, Setup`."""
    memory: Mapping[str, Any]
    """Its fields as MEM-001 writes them; the content may be longer than an entry's."""
    name: ForeignName
    links: tuple[ForeignLink, ...] = ()
    vector: ForeignVector | None = None
    foreign: bool = False
    """Whether another agent says its source, tier and visibility, which this home does not take on its word."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a source that is no record, and why."""

    place: str
    fault: CsbError


@dataclass(frozen=True, slots=True)
class ForeignRelation:
    """A link that is a record of its own, or that another record says than the one it begins at."""

    place: str
    begins: ForeignName
    link: ForeignLink


Read = ForeignRecord | ForeignRelation | Unread
"""What a format finds in a source, one after another."""


@dataclass(slots=True)
class FittingTags:
    """Names of a source as the tags of an entry: those that may be tags, and the others."""

    tags: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def fitting_tags(names: Iterable[str]) -> FittingTags:
    """The names in their order; what is too long for a tag, or too many, is among the others."""
    found = FittingTags()
    for name in dict.fromkeys(unicodedata.normalize("NFC", each).strip() for each in names):
        fits = len(found.tags) < TAGS_MAX and len(name) <= TAG_MAX and _is_tag(name)
        (found.tags if fits else found.others).append(name)
    return found


def named_relation(name: str) -> tuple[str, dict[str, Any]]:
    """The relation of a name, folded, and nothing beside it; else `relates_to`, and the name as it was declared."""
    try:
        return RELATION.loose("relation", name), {}
    except RemoteProtocolError:
        return UNNAMED, {"declared": name}


def checked_agent(value: object) -> str:
    """The name of whom memories come from."""
    if not isinstance(value, str) or not value.strip() or len(value) > AGENT_MAX:
        raise refused("agent", f"must be a name of 1 to {AGENT_MAX} characters")
    return unicodedata.normalize("NFC", value)


def _is_tag(name: str) -> bool:
    try:
        return bool(checked_tags([name]))
    except RemoteProtocolError:
        return False
