"""The published schema of memories as it stands (`memory-v1.schema.json`): what of an entry fits it, and what not.

It knows fewer types, fields and letters of tags than MEM-001 §1.3 asks for, and other ids and lengths.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import EMBEDDING_MAX, SOURCES, TAG_MAX, TAGS_MAX, refused
from csbond.protocol.memory.entry_fields import whole_object
from csbond.protocol.memory.foreign_lines import json_lines
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord, Read, Unread
from csbond.protocol.memory.pieces import PUBLISHED_CONTENT_MAX

AGENT = "published"
"""From whom these come, where nobody else is named."""
TIMESTAMP_MIN = 1_700_000_000_000
"""The earliest time the schema knows."""
TYPES = ("event", "decision", "lesson", "todo", "discovery", "preference", "identity", "correction", "other")
FIELDS = ("id", "type", "content", "tags", "timestamp", "source", "level", "embedding", "metadata")
METADATA = (
    "lastAccessed",
    "accessCount",
    "ttl",
    "version",
    "checksum",
    "deleted",
    "deleteTime",
    "parentId",
    "sessionId",
)
REQUIRED = ("id", "type", "content", "timestamp", "level")

_ID = re.compile(r"mem_([0-9]+)_[a-z0-9]{6,12}")
_TIME_OF_ID = re.compile(r"mem_(?:del_)?([0-9]+)_")
_CHECKSUM = re.compile(r"sha256:[0-9a-f]{64}")
_NO_TAG_LETTER = re.compile(r"[^\w-]")


def published_form(entry: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """An entry, as `entry_to_json` gives it, in the published form; and the names of what that does not say.

    Tags are folded to its letters, types it does not know become `other`, and ids it does not take are formed anew.
    """
    lost: dict[str, None] = {name: None for name in entry if name not in (*FIELDS, "seq", "origin", "extends", "piece")}
    metadata = {name: value for name, value in entry["metadata"].items() if name in METADATA}
    lost |= {f"metadata.{name}": None for name in entry["metadata"] if name not in METADATA}
    if entry.get("extends"):
        metadata["parentId"] = published_id(entry["extends"])
    form = {name: entry[name] for name in FIELDS if name in entry} | {"metadata": metadata}
    form |= {"id": published_id(entry["id"]), "tags": list(dict.fromkeys(map(_folded_tag, entry["tags"])))}
    form |= {"type": entry["type"] if entry["type"] in TYPES else "other"}
    form |= {"timestamp": max(entry["timestamp"], TIMESTAMP_MIN)}
    lost |= {name: None for name in ("id", "type", "tags", "timestamp") if form[name] != entry[name]}
    return form, tuple(lost)


def published_id(entry_id: str) -> str:
    """An id as the schema takes it: itself, or one of the same time that is always the same for it."""
    if _ID.fullmatch(entry_id):
        return entry_id
    time = _TIME_OF_ID.match(entry_id)
    return f"mem_{time[1] if time else 0}_{hashlib.sha256(entry_id.encode()).hexdigest()[:12]}"


def records(source: bytes, agent: str = AGENT, own_agent: str = "") -> Iterator[Read]:
    """The memories of a source with one a line, each as the schema has it; what it forbids is refused by its name."""
    for place, value in json_lines(source):
        try:
            if isinstance(value, CsbError):
                raise value
            if not (isinstance(value, Mapping) and "export" in value and "id" not in value):
                yield _record(whole_object(value), place, agent, foreign=agent != own_agent)
        except CsbError as fault:
            yield Unread(place, fault)


def _record(raw: Mapping[str, Any], place: str, agent: str, *, foreign: bool) -> ForeignRecord:
    _check(raw)
    metadata = raw.get("metadata", {})
    if metadata.get("deleted"):
        raise refused("metadata.deleted", "says that it was deleted; it is not brought back")
    kept = {name: value for name, value in metadata.items() if name not in ("lastAccessed", "accessCount", "version")}
    memory = {**raw, "metadata": {name: value for name, value in kept.items() if name not in ("deleted", "deleteTime")}}
    return ForeignRecord(place, memory, ForeignName(agent, key=raw["id"]), foreign=foreign)


def _check(raw: Mapping[str, Any]) -> None:
    """Nothing, or `invalid_params` for the first field that the schema does not take."""
    for name in REQUIRED:
        if raw.get(name) is None:
            raise refused(name, "is missing, and the published schema requires it")
    for name in raw:
        if name not in FIELDS:
            raise refused(name, "is no field of the published schema")
    id_, tags, metadata = raw["id"], raw.get("tags", []), raw.get("metadata", {})
    if not isinstance(id_, str) or not _ID.fullmatch(id_):
        raise refused("id", "must be mem_<milliseconds>_ and 6 to 12 small letters and digits")
    if not isinstance(raw["content"], str) or len(raw["content"]) > PUBLISHED_CONTENT_MAX:
        raise refused("content", f"must be a text of at most {PUBLISHED_CONTENT_MAX} characters")
    if raw["type"] not in TYPES or raw["level"] not in ("hot", "warm", "cold"):
        raise refused("type" if raw["type"] not in TYPES else "level", "is none of the published schema")
    if raw.get("source", SOURCES[0]) not in SOURCES:
        raise refused("source", f"must be one of {', '.join(SOURCES)}")
    if not isinstance(raw["timestamp"], int) or raw["timestamp"] < TIMESTAMP_MIN:
        raise refused("timestamp", f"must be a whole number from {TIMESTAMP_MIN}")
    if not isinstance(tags, list) or len(tags) > TAGS_MAX or not all(_is_tag(tag) for tag in tags):
        raise refused("tags", f"must be at most {TAGS_MAX}, each of 1 to {TAG_MAX} letters, digits, _ and -")
    vector = raw.get("embedding", [])
    if not isinstance(vector, list) or len(vector) > EMBEDDING_MAX:
        raise refused("embedding", f"must be a list of at most {EMBEDDING_MAX} numbers")
    _check_metadata(metadata)


def _check_metadata(metadata: object) -> None:
    if not isinstance(metadata, Mapping):
        raise refused("metadata", "must be an object")
    for name, value in metadata.items():
        if name not in METADATA:
            raise refused(f"metadata.{name}", "is no field of the published schema")
        if name == "checksum" and not (isinstance(value, str) and _CHECKSUM.fullmatch(value)):
            raise refused("metadata.checksum", "must be sha256: and 64 hex digits")


def _is_tag(tag: object) -> bool:
    return isinstance(tag, str) and 1 <= len(tag) <= TAG_MAX and not _NO_TAG_LETTER.search(tag)


def _folded_tag(tag: str) -> str:
    return _NO_TAG_LETTER.sub("_", unicodedata.normalize("NFC", tag))
