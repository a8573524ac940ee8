"""A memory entry as it is shown (MEM-001 §1.3–1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link_json import link_to_json, set_apart
from csbond.protocol.memory.network import Place
from csbond.protocol.memory.network_json import place_to_json
from csbond.protocol.memory.tolerance import understood


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
        "metadata": _metadata(entry),
        "seq": entry.seq,
    }
    if entry.links:
        raw["links"] = [link_to_json(link, entry.extra.get("link_fields")) for link in entry.links]
    origin = _origin(entry.origin)
    if origin:
        raw["origin"] = origin
    if entry.extends:
        raw["extends"] = entry.extends
        raw["piece"] = entry.piece
    return raw | _extra(entry.extra, with_embedding)


def with_place(raw: dict[str, Any], place: Place | None) -> dict[str, Any]:
    """An entry as it is shown, with what is computed of its links beside what others declare of them (MEM-001 §1.5).

    What is declared is there even when it is nothing: so an answer that is sent back is known for one.
    """
    if place is None:
        return raw
    declared = raw.get("link_metadata", {}).get("declared", {})
    return raw | {"link_metadata": {**place_to_json(place), "declared": declared}}


def _origin(origin: Origin) -> dict[str, str]:
    if not origin.caller_key:
        return {"speaker": origin.speaker} if origin.speaker else {}
    if not origin.thread_id and origin.caller_key == "owner":
        return {}
    return {
        "caller": origin.caller_key,
        "thread_id": origin.thread_id,
        "message_id": origin.message_id,
        "speaker": origin.speaker,
    }


def _metadata(entry: MemoryEntry) -> dict[str, Any]:
    metadata = {
        **entry.extra.get("metadata", {}),
        "lastAccessed": entry.last_accessed,
        "accessCount": entry.access_count,
        "ttl": entry.ttl,
        "version": entry.version,
    }
    if entry.deleted_at:
        metadata |= {"deleted": True, "deleteTime": entry.deleted_at}
    return metadata


def _extra(extra: Mapping[str, Any], with_embedding: bool) -> dict[str, Any]:
    hidden = ("metadata", "link_fields") if with_embedding else ("metadata", "link_fields", "embedding")
    raw = {name: value for name, value in extra.items() if name not in hidden}
    if isinstance(raw.get("link_metadata"), Mapping):
        raw["link_metadata"] = set_apart(raw["link_metadata"])  # entries of an earlier version have it as it came
    if not understood(extra.get("fault_tolerance")):
        raw["understood"] = False
    return raw
