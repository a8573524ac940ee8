"""A memory entry as JSON: what clients may send and what they are shown (MEM-001 §1.3–1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from csbond.protocol.memory import entry_fields as fields
from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry, Visibility, refused
from csbond.protocol.memory.extra_fields import check_extra, without_nulls
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.tolerance import Tolerance, tolerance_of

_KNOWN = ("id", "type", "content", "tags", "timestamp", "source", "level", "visibility", "embedding", "metadata")
_KNOWN_METADATA = ("lastAccessed", "accessCount", "ttl")
_GIVEN_BY_THE_NODE = ("origin", "extends", "piece", "pieces", "text", "seq", "score", "deleted", "indexed")
_GIVEN_IN_METADATA = ("version", "deleted", "deleteTime")


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """What a client asks to have remembered, checked field by field; an empty id leaves the naming to the node."""

    id: str
    type: EntryType
    content: str
    tags: tuple[str, ...]
    timestamp: int
    source: str
    level: Level
    visibility: Visibility = Visibility.PRIVATE
    last_accessed: int = 0
    access_count: int = 0
    ttl: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)


def draft_from_json(value: object, now: int, names: LevelNames) -> EntryDraft:
    """A draft from the body of a write; `invalid_params` names the first field that is not accepted.

    What the schema requires and the body lacks is filled in (MEM-001 §1.4.2), unless the entry is declared strict;
    only the content must be there or have a fallback.
    """
    raw = fields.whole_object(value)
    tolerance = tolerance_of(raw)
    optional = replace(tolerance, strict=False)
    metadata = optional.read(raw, "metadata", fields.OBJECT, {})
    return EntryDraft(
        id=fields.checked_entry_id(raw["id"]) if raw.get("id") is not None else "",
        type=tolerance.read(raw, "type", fields.TYPE, "other"),
        content=tolerance.read(raw, "content", fields.CONTENT, None),
        tags=optional.read(raw, "tags", fields.TAGS, ()),
        timestamp=tolerance.read(raw, "timestamp", fields.timestamp_reader(now), now),
        source=optional.read(raw, "source", fields.SOURCE, "user"),
        level=tolerance.read(raw, "level", fields.level_reader(names), Level.WARM),
        visibility=optional.read(raw, "visibility", fields.VISIBILITY, Visibility.PRIVATE),
        last_accessed=_count(metadata, "lastAccessed", optional),
        access_count=_count(metadata, "accessCount", optional),
        ttl=_count(metadata, "ttl", optional),
        extra=_extra(raw, metadata, optional, {}),
    )


def revised(entry: MemoryEntry, value: object, now: int, names: LevelNames) -> MemoryEntry:
    """The entry with the fields of an edit; fields that are left out stay as they are, unknown ones are kept.

    A null takes tags, the embedding or an unknown field away. The version is the story's business.
    """
    raw = fields.whole_object(value)
    if raw.get("id") not in (None, entry.id):
        raise refused("id", "is not the id of the entry that is edited")
    tolerance = replace(tolerance_of({**entry.extra, **raw}), strict=False, fallback=None)
    metadata = tolerance.read(raw, "metadata", fields.OBJECT, {})
    return replace(
        entry,
        type=tolerance.read(raw, "type", fields.TYPE, entry.type),
        content=tolerance.read(raw, "content", fields.CONTENT, entry.content),
        tags=tolerance.read(raw, "tags", fields.TAGS, () if "tags" in raw else entry.tags),
        timestamp=tolerance.read(raw, "timestamp", fields.timestamp_reader(now), entry.timestamp),
        source=tolerance.read(raw, "source", fields.SOURCE, entry.source),
        level=tolerance.read(raw, "level", fields.level_reader(names), entry.level),
        visibility=tolerance.read(raw, "visibility", fields.VISIBILITY, entry.visibility),
        ttl=_count(metadata, "ttl", tolerance, entry.ttl),
        extra=_extra(raw, metadata, tolerance, entry.extra),
    )


def entry_to_json(entry: MemoryEntry, names: LevelNames, *, with_embedding: bool = True) -> dict[str, Any]:
    """The entry as MEM-001 writes it, with what this node adds; an embedding only where it is asked for."""
    raw: dict[str, Any] = {
        "id": entry.id,
        "type": entry.type,
        "content": entry.content,
        "tags": list(entry.tags),
        "timestamp": entry.timestamp,
        "source": entry.source,
        "level": names.name(entry.level),
        "visibility": entry.visibility.value,
        "metadata": {
            **entry.extra.get("metadata", {}),
            "lastAccessed": entry.last_accessed,
            "accessCount": entry.access_count,
            "ttl": entry.ttl,
            "version": entry.version,
        },
        "seq": entry.seq,
    }
    if entry.origin.thread_id or entry.origin.caller_key != "owner":
        raw["origin"] = {
            "caller": entry.origin.caller_key,
            "thread_id": entry.origin.thread_id,
            "message_id": entry.origin.message_id,
            "speaker": entry.origin.speaker,
        }
    if entry.extends:
        raw["extends"] = entry.extends
        raw["piece"] = entry.piece
    hidden = ("metadata",) if with_embedding else ("metadata", "embedding")
    raw.update({name: value for name, value in entry.extra.items() if name not in hidden})
    return raw


def _count(metadata: Mapping[str, Any], name: str, tolerance: Tolerance, default: int = 0) -> int:
    return tolerance.read(metadata, name, fields.COUNT, default, label=f"metadata.{name}")


def _extra(
    raw: Mapping[str, Any], metadata: Mapping[str, Any], tolerance: Tolerance, before: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What is kept beside the known fields, merged over what was there before."""
    extra = {**before, **{name: value for name, value in raw.items() if name not in (*_KNOWN, *_GIVEN_BY_THE_NODE)}}
    unknown = {name: value for name, value in metadata.items() if name not in (*_KNOWN_METADATA, *_GIVEN_IN_METADATA)}
    extra["metadata"] = without_nulls({**before.get("metadata", {}), **unknown}) or None
    if "embedding" in raw:
        extra["embedding"] = _embedding(raw, tolerance)
    kept = without_nulls(extra)
    check_extra(kept)
    return kept


def _embedding(raw: Mapping[str, Any], tolerance: Tolerance) -> list[float] | None:
    if raw["embedding"] is None:
        return None
    return tolerance.read(raw, "embedding", fields.EMBEDDING, None)
