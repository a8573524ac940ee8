"""The JSON schemas of what `/v1/memory` takes and gives, as the OpenAPI document names them."""

from __future__ import annotations

from csbond.api.memory import BATCH_MAX
from csbond.api.memory_search import QUERY_MAX
from csbond.api.schema_parts import COUNT, CURSOR, TEXT, TIME, TRUTH, Schema, list_of, named, object_of
from csbond.flows.search_memory import LIMIT_DEFAULT, LIMIT_MAX
from csbond.protocol.memory.entry import (
    CONTENT_MAX,
    EMBEDDING_MAX,
    ENTRY_TYPES,
    SOURCES,
    TAG_MAX,
    TAGS_MAX,
    Visibility,
)

_ENTRY: Schema = {
    "id": {"type": "string", "pattern": "^mem_[0-9]{1,16}_[A-Za-z0-9]{1,64}$"},
    "type": {"type": "string", "enum": list(ENTRY_TYPES)},
    "content": {"type": "string", "minLength": 1, "maxLength": CONTENT_MAX},
    "tags": {"type": "array", "maxItems": TAGS_MAX, "items": {"type": "string", "minLength": 1, "maxLength": TAG_MAX}},
    "timestamp": TIME,
    "source": {"type": "string", "enum": list(SOURCES)},
    "level": {"type": "string", "description": "hot, warm or cold, or the name the home declares for it."},
    "visibility": {"type": "string", "enum": [visibility.value for visibility in Visibility]},
    "metadata": object_of({"lastAccessed": TIME, "accessCount": COUNT, "ttl": COUNT, "version": COUNT}, ()),
}
_EMBEDDING: Schema = {"type": "array", "maxItems": EMBEDDING_MAX, "items": {"type": "number"}}
_TOLERANCE = object_of(
    {
        "strict": TRUTH,
        "fallback_value": {},
        "compatibility": TEXT,
        "strict_schema": TRUTH,
    },
    (),
)
_WRITE: Schema = {**_ENTRY, "embedding": _EMBEDDING, "fault_tolerance": _TOLERANCE}
_SHOWN: Schema = {
    **_WRITE,
    "seq": COUNT,
    "origin": object_of({"caller": TEXT, "thread_id": TEXT, "message_id": TEXT, "speaker": TEXT}),
    "extends": {"type": "string", "description": "The entry this piece of a long text goes on from."},
    "piece": COUNT,
    "text": {"type": "string", "description": "The whole text of a piece."},
    "pieces": list_of(TEXT),
    "indexed": {"type": "boolean", "description": "With ?wait=index: whether its vector is searchable now."},
}
_FOUND = {"allOf": [named("Memory"), object_of({"score": {"type": "number", "minimum": 0, "maximum": 1}})]}

MEMORY_SCHEMAS: dict[str, Schema] = {
    "Memory": object_of(_SHOWN, ("id", "type", "content", "tags", "timestamp", "source", "level", "metadata", "seq")),
    "MemoryWrite": object_of(_WRITE, ("content",)),
    "MemoryEdit": object_of(_WRITE, ()),
    "MemoryBatch": object_of(
        {"memories": {"type": "array", "minItems": 1, "maxItems": BATCH_MAX, "items": named("MemoryWrite")}}
    ),
    "MemoryBatchResult": object_of(
        {
            "results": list_of(
                object_of({"status": COUNT, "memory": named("Memory"), "error": {"type": "object"}}, ("status",))
            ),
            "stored": COUNT,
            "refused": COUNT,
            "indexed": TRUTH,
        },
        ("results", "stored", "refused"),
    ),
    "MemoryPage": object_of({"memories": list_of(named("Memory")), "total": COUNT, "next_cursor": CURSOR}),
    "MemoryDeleted": object_of({"id": TEXT, "deleted": TRUTH, "deleted_at": TIME, "entries": list_of(TEXT)}),
    "MemorySearch": object_of(
        {
            "query": {"type": "string", "minLength": 1, "maxLength": QUERY_MAX},
            "level": TEXT,
            "type": _ENTRY["type"],
            "tag": TEXT,
            "source": _ENTRY["source"],
            "limit": {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT},
            "threshold": {"type": "number", "minimum": 0, "maximum": 1, "default": 0},
        },
        ("query",),
    ),
    "MemorySearchResult": object_of(
        {
            "query": TEXT,
            "results": list_of(_FOUND),
            "total": COUNT,
            "semantic": TRUTH,
            "semantic_through": COUNT,
            "reason": TEXT,
        },
        ("query", "results", "total", "semantic", "semantic_through"),
    ),
}
"""By name."""
