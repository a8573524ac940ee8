"""The exchange format `mem_interop`: how a memory leaves this home and how it comes to another (CSB v1.0 §1.2.4)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
from collections.abc import Iterator, Mapping
from typing import Any

from csbond.protocol.canonical_json import canonical_bytes
from csbond.protocol.errors import CsbError
from csbond.protocol.memory import entry_fields as fields
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import EMBEDDING_MAX, ENTRY_TYPES, EntryType, MemoryEntry, refused
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.extra_fields import without_nulls
from csbond.protocol.memory.foreign_lines import json_lines
from csbond.protocol.memory.foreign_record import (
    SOURCE,
    ForeignLink,
    ForeignName,
    ForeignRecord,
    ForeignVector,
    Read,
    Unread,
    checked_agent,
    named_relation,
)
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.told_elsewhere import DECLARED, INTEROP, standing
from csbond.protocol.memory.vectors import BYTES_PER_NUMBER, unpack

VERSION = "1.0"
"""Of the format as it is written; 1.x is read."""
MODEL_MAX = 256
"""Code points of a model's name and of its fingerprint."""
LEFT_OUT = ("versions", "uses", "origin", "deleted memories", "who made a link", "ids of further pieces")
"""What an export leaves out, always; without vectors also those."""
_TYPES: Mapping[EntryType, str] = {
    "event": "event",
    "todo": "event",
    "other": "event",
    "decision": "decision",
    "identity": "relation",
    "preference": "relation",
    "relation": "relation",
    "lesson": "reflection",
    "discovery": "reflection",
    "correction": "reflection",
    "reflection": "reflection",
}
_SAID = ("version", "agent", "timestamp", "type", "content", "tags", "embedding", "links", "ttl_days", "csb")
_OF_THE_FORMAT = ("content", "tags", "timestamp", "links")
"""Fields of an entry that the format has a place for."""
_OF_A_LINK = ("target", "target_id", "relation", "weight", "made_by")
_OF_THIS_HOME = ("seq", "origin", "extends", "piece", "understood", "embedding")
_MOVING = ("lastAccessed", "accessCount", "version", "deleted", "deleteTime")


def interop_type(kind: EntryType) -> str:
    """One of event, decision, relation and reflection."""
    return _TYPES[kind]


def interop_document(
    entry: MemoryEntry, text: str, agent: str, embedding: Mapping[str, Any] | None = None, *, supplied: bool = False
) -> dict[str, Any]:
    """The document of a memory with its whole text, told by an agent unless it came from another one.

    What the format has no place for is in `csb`; an embedding that a client supplied only where it is asked for.
    """
    raw = entry_to_json(entry, LevelNames())
    kept = dict(entry.extra.get(INTEROP, {})) if isinstance(entry.extra.get(INTEROP), Mapping) else {}
    csb = {name: value for name, value in raw.items() if name not in (*_OF_THE_FORMAT, *_OF_THIS_HOME, INTEROP)}
    csb["metadata"] = {name: value for name, value in raw["metadata"].items() if name not in _MOVING}
    if supplied and "embedding" in entry.extra:
        csb["embedding"] = entry.extra["embedding"]
    if declared := standing(kept.get(DECLARED)):
        csb[INTEROP] = declared
    document: dict[str, Any] = {
        "version": VERSION,
        "agent": kept.pop("agent", agent),
        "timestamp": entry.timestamp,
        "type": kept["type"] if entry.type == "other" and "type" in kept else interop_type(entry.type),
        "content": text,
        "tags": list(entry.tags),
    }
    if embedding is not None:
        document["embedding"] = dict(embedding)
    document["links"] = [_link(each) for each in raw.get("links", ())]
    if entry.ttl:
        document["ttl_days"] = entry.ttl / DAY_MS
    return {"mem_interop": document | {"csb": csb} | {name: kept[name] for name in kept if name not in _SAID}}


def embedding_document(vector: bytes, model_id: str) -> dict[str, Any]:
    """A vector as it travels: base64 of little-endian 32-bit floats, with the model that made it."""
    dimension = len(vector) // BYTES_PER_NUMBER
    return {
        "dimension": dimension,
        "vector": base64.b64encode(vector).decode(),
        "model": model_id,
        "model_fingerprint": model_fingerprint(model_id, dimension),
    }


def model_fingerprint(model_id: str, dimension: int, *, normalised: bool = True) -> str:
    """The hex SHA-256 of the RFC 8785 form of a model's configuration."""
    configuration = {"csb": "v1", "dimension": dimension, "model": model_id, "normalised": normalised}
    return hashlib.sha256(canonical_bytes(configuration)).hexdigest()


def interop_records(source: bytes, own_agent: str) -> Iterator[Read]:
    """The records of a source with one document a line; the line that ends an export is none."""
    for place, value in json_lines(source):
        if isinstance(value, CsbError):
            yield Unread(place, value)
        elif not (isinstance(value, Mapping) and "export" in value and "mem_interop" not in value):
            try:
                yield entry_of_interop(value, place, own_agent)
            except CsbError as fault:
                yield Unread(place, fault)


def entry_of_interop(raw: object, place: str, own_agent: str = "") -> ForeignRecord:
    """The record of a document; what `csb` says of a memory counts for the way back (`invalid_params`).

    Whose it is is kept with it, unless it is this agent's own: then it also counts what an earlier home did not take.
    """
    document = fields.whole_object(raw).get("mem_interop")
    if not isinstance(document, Mapping):
        raise refused("mem_interop", "is missing: a document has its memory under that name")
    if str(document.get("version", VERSION)).partition(".")[0] != "1":
        raise refused("mem_interop.version", "is not 1.x, the versions read here")
    csb = document.get("csb", {})
    if not isinstance(csb, Mapping):
        raise refused("mem_interop.csb", "must be an object")
    agent, timestamp = checked_agent(document.get("agent")), _timestamp(document.get("timestamp"))
    kept = {name: value for name, value in document.items() if name not in _SAID}
    declared, foreign = standing(csb.get(INTEROP)), agent != own_agent
    if foreign:
        kept |= {"agent": agent, **({DECLARED: declared} if declared else {})}
    memory = {
        "source": SOURCE,
        **{name: value for name, value in csb.items() if name not in (*_OF_THE_FORMAT, INTEROP)},
        **({} if foreign else declared),
        "content": document.get("content"),
        "tags": document.get("tags") or [],
        "timestamp": timestamp,
        **_kind(document.get("type"), csb.get("type"), kept),
        "metadata": _metadata(csb.get("metadata"), document.get("ttl_days")),
        INTEROP: kept or None,
    }
    id_ = csb.get("id")
    named = isinstance(id_, str) and fields.is_entry_id(id_)
    return ForeignRecord(
        place,
        without_nulls(memory),
        ForeignName(agent, key=str(id_)) if named else ForeignName(agent, timestamp=timestamp),
        _links(document.get("links")),
        vector_of(document["embedding"]) if document.get("embedding") is not None else None,
        foreign,
    )


def vector_of(raw: object) -> ForeignVector:
    """A vector as it travels, checked; any dimension up to 2,048 (`invalid_params`)."""
    if not isinstance(raw, Mapping):
        raise refused("embedding", "must be an object with dimension, vector, model and model_fingerprint")
    dimension, text = raw.get("dimension"), raw.get("vector")
    if not isinstance(dimension, int) or isinstance(dimension, bool) or not 1 <= dimension <= EMBEDDING_MAX:
        raise refused("embedding.dimension", f"must be a whole number from 1 to {EMBEDDING_MAX}")
    try:
        numbers = base64.b64decode(text if isinstance(text, str) else "", validate=True)
    except (binascii.Error, ValueError):
        raise refused("embedding.vector", "must be base64 of little-endian 32-bit floats") from None
    if len(numbers) != dimension * BYTES_PER_NUMBER:
        raise refused("embedding.vector", f"has {len(numbers)} bytes, which is not {dimension} numbers of 32 bits")
    if not all(math.isfinite(number) for number in unpack(numbers)):
        raise refused("embedding.vector", "must hold finite numbers only")
    model = _model(raw, "model")
    named = raw.get("model_fingerprint") is not None
    fingerprint = _model(raw, "model_fingerprint") if named else model_fingerprint(model, dimension)
    fingerprint = fingerprint.removeprefix("sha256:")
    if not fingerprint.strip():
        raise refused("embedding.model_fingerprint", "names no digest")
    return ForeignVector(numbers, dimension, model, fingerprint)


def _model(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > MODEL_MAX:
        raise refused(f"embedding.{name}", f"must be a text of 1 to {MODEL_MAX} characters")
    return value


def _link(link: Mapping[str, Any]) -> dict[str, Any]:
    beside = {name: value for name, value in link.items() if name not in ("target_id", "made_by")}
    return {"target": link["target_id"], **beside}


def _links(value: object) -> tuple[ForeignLink, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise refused("links", "must be a list of links, each with target, relation and weight")
    return tuple(_foreign_link(item, f"links[{place}]") for place, item in enumerate(value))


def _foreign_link(item: object, label: str) -> ForeignLink:
    if not isinstance(item, Mapping):
        raise refused(label, "must be an object with target, relation and weight")
    target, weight = item.get("target", item.get("target_id")), item.get("weight", 1.0)
    if not isinstance(target, str) or not target.strip():
        raise refused(f"{label}.target", "must be the id of a memory, or <scheme>:<name> for another thing")
    number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not number or not 0 <= weight <= 1:
        raise refused(f"{label}.weight", "must be a number from 0 to 1")
    relation = item.get("relation", "relates_to")
    if not isinstance(relation, str):
        raise refused(f"{label}.relation", "must be a text")
    name, declared = named_relation(relation)
    beside = {each: value for each, value in item.items() if each not in _OF_A_LINK and value is not None}
    return ForeignLink(target, name, float(weight), beside | declared)


def _kind(said: object, own: object, kept: dict[str, Any]) -> dict[str, Any]:
    """The type of a document, as this node calls it; another one is kept as it was said."""
    if isinstance(own, str) and own in ENTRY_TYPES and said in (None, interop_type(own)):
        return {"type": own}
    if isinstance(said, str) and said in ENTRY_TYPES:
        return {"type": said}
    if said is not None:
        kept["type"] = said
    return {"type": "other"}


def _metadata(own: object, ttl_days: object) -> dict[str, Any]:
    metadata = {name: value for name, value in own.items() if name not in _MOVING} if isinstance(own, Mapping) else {}
    if "ttl" in metadata or ttl_days is None:
        return metadata
    if not isinstance(ttl_days, int | float) or isinstance(ttl_days, bool) or not 0 <= ttl_days * DAY_MS < 2**53:
        raise refused("ttl_days", "must be a number of days, 0 for ever")
    return {**metadata, "ttl": round(ttl_days * DAY_MS)}


def _timestamp(value: object) -> int:
    return fields.COUNT.exact("timestamp", value)
