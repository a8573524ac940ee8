"""The JSON schemas of networks and of memory in numbers."""

from __future__ import annotations

from csbond.api.schema_parts import COUNT, MAYBE_TEXT, TEXT, TIME, TRUTH, Schema, list_of, named, object_of
from csbond.protocol.memory.network import DEPTH_MAX

_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
COMPUTED: dict[str, Schema] = {
    "network_id": {**TEXT, "description": "The same for all memories that hang together by links."},
    "centrality": {**_SHARE, "description": "How much it is in the middle of all that the caller may be told."},
    "clusters": {**list_of(TEXT), "description": "What it belongs to more closely: its own first."},
}
"""What the node computes of a memory that has links (MEM-001 §1.5)."""
_NODE = object_of(
    {"id": TEXT, "level": TEXT, "type": TEXT, "title": TEXT, "tags": list_of(TEXT), **COMPUTED},
    ("id", "level", "type", "title", "tags"),
)
_LINK = object_of({"source_id": TEXT, "target_id": TEXT, "relation": TEXT, "weight": _SHARE})
_NETWORK: dict[str, Schema] = {
    "nodes": list_of(named("MemoryNode")),
    "links": list_of(named("MemoryNetworkLink")),
    "left_out": {
        **object_of({"nodes": COUNT, "links": COUNT}),
        "description": "How many there are beside; around one memory, of those that were reached.",
    },
}
_COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
_OWNERS: dict[str, Schema] = {
    "caps": object_of(
        {
            "held": {**_COUNTS, "description": "By tier; a text in pieces counts once."},
            "hot_cap": COUNT,
            "hot_pinned": COUNT,
            "warm_cap": {**COUNT, "description": "Of each project."},
            "fullest_project": {"anyOf": [object_of({"project": TEXT, "held": COUNT}), {"type": "null"}]},
        }
    ),
    "removals": {
        "type": "object",
        "additionalProperties": _COUNTS,
        "description": "Within the days: by trigger, then by action.",
    },
    "waiting": object_of(
        {
            "restorable": {**COUNT, "description": "Softly deleted."},
            "reviews": {**COUNT, "description": "Questions to a person."},
            "vectors": {**COUNT, "description": "Memories without a vector yet."},
            "archived": {**COUNT, "description": "Records of memories that were cleared."},
        }
    ),
    "file_bytes": COUNT,
    "index": object_of(
        {"semantic": TRUTH, "model": MAYBE_TEXT, "through": COUNT, "space_seq": COUNT, "failure": MAYBE_TEXT}
    ),
}
_STATS: dict[str, Schema] = {
    "at": TIME,
    "total": COUNT,
    "levels": {**_COUNTS, "description": "By the home's names of the tiers."},
    "types": _COUNTS,
    "sources": _COUNTS,
    "visibilities": _COUNTS,
    "linked": {**COUNT, "description": "Memories with a link to another one, or from one."},
    "links": COUNT,
    "growth": {
        **list_of(object_of({"date": TEXT, "kept": COUNT})),
        "description": "Day by day (UTC): how many were kept then, of those that are there.",
    },
}

NETWORK_SCHEMAS: dict[str, Schema] = {
    "MemoryNode": _NODE,
    "MemoryNetworkLink": _LINK,
    "MemoryNetwork": object_of(
        {"center": TEXT, "depth": {"type": "integer", "minimum": 1, "maximum": DEPTH_MAX}, **_NETWORK}
    ),
    "MemoryWholeNetwork": object_of(
        {**_NETWORK, "unlinked": {**COUNT, "description": "Memories without a link to another one."}}
    ),
    "MemoryStats": object_of({**_STATS, **_OWNERS}, tuple(_STATS)),
}
"""By name; what only the owner is told is not required."""
