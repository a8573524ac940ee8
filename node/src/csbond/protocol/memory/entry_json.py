"""A memory entry as JSON: what clients may send (MEM-001 §1.3–1.5). What they are shown is in `entry_shown.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from csbond.protocol.memory import entry_fields as fields
from csbond.protocol.memory.business_context import checked_business_context
from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry, Visibility, refused
from csbond.protocol.memory.extra_fields import check_extra, without_nulls
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link, checked_links
from csbond.protocol.memory.link_extra import LINK_FIELDS, united_link_fields, without_links
from csbond.protocol.memory.link_json import declared, links_from_json, unknown_link_fields
from csbond.protocol.memory.project import project_of
from csbond.protocol.memory.tolerance import Tolerance, tolerance_of

_KNOWN = (
    "id",
    "type",
    "content",
    "tags",
    "timestamp",
    "source",
    "level",
    "visibility",
    "embedding",
    "metadata",
    "links",
    "link_metadata",
    "business_context",
)
_KNOWN_METADATA = ("lastAccessed", "accessCount", "ttl")
_GIVEN_BY_THE_NODE = (
    "origin",
    "extends",
    "piece",
    "pieces",
    "text",
    "next_cursor",
    "seq",
    "score",
    "deleted",
    "indexed",
    "understood",
    "merged",
    "left_out",
    LINK_FIELDS,
)
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
    project: str = ""
    """The name of its project as it was written; `project_of` says what it is counted with."""
    links: tuple[Link, ...] = ()
    """Whether their targets are there is the story's business."""
    named: frozenset[str] = frozenset()
    """Which of `timestamp` and `ttl` the client named; the node filled in the other."""


def draft_from_json(value: object, now: int, names: LevelNames) -> EntryDraft:
    """A draft from the body of a write; `invalid_params` names the first field that is not accepted.

    What the schema requires and the body lacks is filled in (MEM-001 §1.4.2), unless the entry is declared strict;
    only the content must be there or have a fallback.
    """
    raw = fields.whole_object(value)
    tolerance = tolerance_of(raw)
    if tolerance.exact:
        _refuse_nulls(raw)
    optional = tolerance.optional
    metadata = optional.read(raw, "metadata", fields.OBJECT, {})
    id_ = fields.checked_entry_id(raw["id"]) if raw.get("id") is not None else ""
    links, beside = _links(raw, tolerance, id_)
    extra = _extra(raw, metadata, optional, {LINK_FIELDS: beside})
    return EntryDraft(
        id=id_,
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
        extra=extra,
        project=_named_project(extra),
        links=links,
        named=_named(raw, metadata),
    )


def revised(entry: MemoryEntry, value: object, now: int, names: LevelNames) -> MemoryEntry:
    """The entry with the fields of an edit; fields that are left out stay as they are, unknown ones are kept.

    A null takes tags, links, the project, the embedding or an unknown field away. The version is the story's
    business, and so is whether the targets of links are there.
    """
    edit = fields.whole_object(value)
    if edit.get("id") not in (None, entry.id):
        raise refused("id", "is not the id of the entry that is edited")
    raw = without_nulls(edit)
    whole = replace(tolerance_of({**entry.extra, **raw}), fallback=None)
    tolerance = whole.optional
    metadata = tolerance.read(raw, "metadata", fields.OBJECT, {})
    links, beside = entry.links, entry.extra.get(LINK_FIELDS)
    if "links" in edit:
        links, beside = _links(raw, whole, entry.id)
        hidden = without_links(entry.extra, [(link.target_id, link.relation) for link in entry.links])
        beside = united_link_fields(beside, hidden.get(LINK_FIELDS)) or None
    extra = _extra(edit, metadata, tolerance, {**entry.extra, LINK_FIELDS: beside})
    return replace(
        entry,
        type=tolerance.read(raw, "type", fields.TYPE, entry.type),
        content=tolerance.read(raw, "content", fields.CONTENT, entry.content),
        tags=tolerance.read(raw, "tags", fields.TAGS, () if "tags" in edit else entry.tags),
        timestamp=tolerance.read(raw, "timestamp", fields.timestamp_reader(now), entry.timestamp),
        source=tolerance.read(raw, "source", fields.SOURCE, entry.source),
        level=tolerance.read(raw, "level", fields.level_reader(names), entry.level),
        visibility=tolerance.read(raw, "visibility", fields.VISIBILITY, entry.visibility),
        ttl=_count(without_nulls(metadata), "ttl", tolerance, entry.ttl),
        extra=extra,
        project=project_of(_named_project(extra), entry.origin),
        links=_same_makers(links, entry.links),
    )


def _refuse_nulls(raw: Mapping[str, Any]) -> None:
    for name in _KNOWN:
        if name in raw and raw[name] is None:
            raise refused(name, "is null, and the entry is declared strict: leave out what it does not have")


def _count(metadata: Mapping[str, Any], name: str, tolerance: Tolerance, default: int = 0) -> int:
    return tolerance.read(metadata, name, fields.COUNT, default, label=f"metadata.{name}")


def _links(
    raw: Mapping[str, Any], tolerance: Tolerance, source_id: str
) -> tuple[tuple[Link, ...], Mapping[str, Any] | None]:
    """The links, and what they hold beside their known fields."""
    value = raw.get("links")
    if value is None:
        return (), None
    links = links_from_json(value, tolerance)
    return checked_links(source_id, links), unknown_link_fields(value, links) or None


def _same_makers(links: tuple[Link, ...], before: tuple[Link, ...]) -> tuple[Link, ...]:
    """The links, each made by whom it was made by: to send back what was read changes nothing."""
    makers = {(link.target_id, link.relation): link.made_by for link in before}
    return tuple(replace(link, made_by=makers.get((link.target_id, link.relation), "")) for link in links)


def _named(raw: Mapping[str, Any], metadata: Mapping[str, Any]) -> frozenset[str]:
    said = {"timestamp": raw.get("timestamp"), "ttl": metadata.get("ttl")}
    return frozenset(without_nulls(said))


def _named_project(extra: Mapping[str, Any]) -> str:
    return str(extra.get("metadata", {}).get("project", ""))


def _extra(
    raw: Mapping[str, Any], metadata: Mapping[str, Any], tolerance: Tolerance, before: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What is kept beside the fields of an entry, merged over what was there before; a null takes a field away."""
    extra = {**before, **{name: value for name, value in raw.items() if name not in (*_KNOWN, *_GIVEN_BY_THE_NODE)}}
    extra["metadata"] = without_nulls({**before.get("metadata", {}), **_kept_metadata(metadata, tolerance)}) or None
    for name, read in _CHECKED.items():
        if name in raw:
            extra[name] = None if raw[name] is None else read(raw, tolerance)
    kept = without_nulls(extra)
    check_extra(kept)
    return kept


def _kept_metadata(metadata: Mapping[str, Any], tolerance: Tolerance) -> Mapping[str, Any]:
    if tolerance.exact:
        _count(metadata, "version", tolerance)  # the node gives its own, but a strict entry has none that is wrong
    kept = {name: value for name, value in metadata.items() if name not in (*_KNOWN_METADATA, *_GIVEN_IN_METADATA)}
    if kept.get("project") is not None:
        kept["project"] = tolerance.read(metadata, "project", fields.PROJECT, None, label="metadata.project")
    return kept


def _embedding(raw: Mapping[str, Any], tolerance: Tolerance) -> list[float]:
    return tolerance.read(raw, "embedding", fields.EMBEDDING, None)


def _link_metadata(raw: Mapping[str, Any], tolerance: Tolerance) -> Mapping[str, Any] | None:
    """What is declared of links; None where an answer of a node comes back in which nothing was."""
    kept = declared(tolerance.read(raw, "link_metadata", fields.OBJECT, None))
    return kept if kept["declared"] else None


def _business_context(raw: Mapping[str, Any], tolerance: Tolerance) -> Mapping[str, Any]:
    return checked_business_context(tolerance.read(raw, "business_context", fields.OBJECT, None), tolerance)


_CHECKED: Mapping[str, Callable[[Mapping[str, Any], Tolerance], Any]] = {
    "embedding": _embedding,
    "link_metadata": _link_metadata,
    "business_context": _business_context,
}
