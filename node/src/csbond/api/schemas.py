"""The JSON schemas of what `/v1` takes and gives, as the OpenAPI document names them."""

from __future__ import annotations

from typing import Any

from csbond.api.memory import BATCH_MAX
from csbond.api.memory_search import QUERY_MAX
from csbond.flows.search_memory import LIMIT_DEFAULT, LIMIT_MAX
from csbond.protocol.errors import REGISTRY
from csbond.protocol.memory.entry import (
    CONTENT_MAX,
    EMBEDDING_MAX,
    ENTRY_TYPES,
    SOURCES,
    TAG_MAX,
    TAGS_MAX,
    Visibility,
)
from csbond.protocol.messages.caller import Role

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TIME: Schema = {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970, UTC."}
_TRUTH: Schema = {"type": "boolean"}
_CURSOR: Schema = {"type": "string", "description": "Leads to the next page; empty on the last."}
_MAYBE_TEXT: Schema = {"type": ["string", "null"]}


def _object(properties: Schema, required: tuple[str, ...] | None = None, *, closed: bool = False) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    wanted = tuple(properties) if required is None else required
    if wanted:
        schema["required"] = list(wanted)
    if closed:
        schema["additionalProperties"] = False
    return schema


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_ENTRY: Schema = {
    "id": {"type": "string", "pattern": "^mem_[0-9]{1,16}_[A-Za-z0-9]{1,64}$"},
    "type": {"type": "string", "enum": list(ENTRY_TYPES)},
    "content": {"type": "string", "minLength": 1, "maxLength": CONTENT_MAX},
    "tags": {"type": "array", "maxItems": TAGS_MAX, "items": {"type": "string", "minLength": 1, "maxLength": TAG_MAX}},
    "timestamp": _TIME,
    "source": {"type": "string", "enum": list(SOURCES)},
    "level": {"type": "string", "description": "hot, warm or cold, or the name the home declares for it."},
    "visibility": {"type": "string", "enum": [visibility.value for visibility in Visibility]},
    "metadata": _object({"lastAccessed": _TIME, "accessCount": _COUNT, "ttl": _COUNT, "version": _COUNT}, ()),
}
_EMBEDDING: Schema = {"type": "array", "maxItems": EMBEDDING_MAX, "items": {"type": "number"}}
_TOLERANCE = _object(
    {
        "strict": _TRUTH,
        "fallback_value": {},
        "compatibility": _TEXT,
        "strict_schema": _TRUTH,
    },
    (),
)
_WRITE: Schema = {**_ENTRY, "embedding": _EMBEDDING, "fault_tolerance": _TOLERANCE}
_SHOWN: Schema = {
    **_WRITE,
    "seq": _COUNT,
    "origin": _object({"caller": _TEXT, "thread_id": _TEXT, "message_id": _TEXT, "speaker": _TEXT}),
    "extends": {"type": "string", "description": "The entry this piece of a long text goes on from."},
    "piece": _COUNT,
    "text": {"type": "string", "description": "The whole text of a piece."},
    "pieces": _list(_TEXT),
    "indexed": {"type": "boolean", "description": "With ?wait=index: whether its vector is searchable now."},
}
_FOUND = {"allOf": [_ref("Memory"), _object({"score": {"type": "number", "minimum": 0, "maximum": 1}})]}
_MESSAGE = _object(
    {
        "message_id": _TEXT,
        "thread_id": _TEXT,
        "session_id": _MAYBE_TEXT,
        "task_id": _MAYBE_TEXT,
        "parent_id": _MAYBE_TEXT,
        "caller": _TEXT,
        "sender": _object({"name": _TEXT, "did": _TEXT, "verified": _TRUTH}),
        "role": {"type": "string", "enum": ["user", "agent"]},
        "said_at": _TIME,
        "importance": {"type": "number", "minimum": 0, "maximum": 1},
        "private": _TRUTH,
        "text": _TEXT,
        "seq": _COUNT,
    }
)
_THREAD: Schema = {
    "thread_id": _TEXT,
    "caller": _TEXT,
    "space": _TEXT,
    "title": _TEXT,
    "opened_at": _TIME,
    "updated_at": _TIME,
    "message_count": _COUNT,
}
_SESSION = _object(
    {"session_id": _TEXT, "continuity_ref": _MAYBE_TEXT, "agent_lifespan": {"type": "number"}, "opened_at": _TIME}
)
_PRINCIPAL: Schema = {
    "name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
    "role": {"type": "string", "enum": [role.value for role in Role]},
    "spaces": _list(_TEXT),
}

SCHEMAS: dict[str, Schema] = {
    "Error": _object(
        {
            "error": _object(
                {
                    "code": {"type": "string", "enum": sorted(REGISTRY)},
                    "reason": _TEXT,
                    "field": _TEXT,
                    "next_step": _TEXT,
                },
                ("code", "reason"),
            )
        }
    ),
    "Memory": _object(_SHOWN, ("id", "type", "content", "tags", "timestamp", "source", "level", "metadata", "seq")),
    "MemoryWrite": _object(_WRITE, ("content",)),
    "MemoryEdit": _object(_WRITE, ()),
    "MemoryBatch": _object(
        {"memories": {"type": "array", "minItems": 1, "maxItems": BATCH_MAX, "items": _ref("MemoryWrite")}}
    ),
    "MemoryBatchResult": _object(
        {
            "results": _list(
                _object({"status": _COUNT, "memory": _ref("Memory"), "error": {"type": "object"}}, ("status",))
            ),
            "stored": _COUNT,
            "refused": _COUNT,
            "indexed": _TRUTH,
        },
        ("results", "stored", "refused"),
    ),
    "MemoryPage": _object({"memories": _list(_ref("Memory")), "total": _COUNT, "next_cursor": _CURSOR}),
    "MemoryDeleted": _object({"id": _TEXT, "deleted": _TRUTH, "deleted_at": _TIME, "entries": _list(_TEXT)}),
    "MemorySearch": _object(
        {
            "query": {"type": "string", "minLength": 1, "maxLength": QUERY_MAX},
            "level": _TEXT,
            "type": _ENTRY["type"],
            "tag": _TEXT,
            "source": _ENTRY["source"],
            "limit": {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT},
            "threshold": {"type": "number", "minimum": 0, "maximum": 1, "default": 0},
        },
        ("query",),
    ),
    "MemorySearchResult": _object(
        {
            "query": _TEXT,
            "results": _list(_FOUND),
            "total": _COUNT,
            "semantic": _TRUTH,
            "semantic_through": _COUNT,
            "reason": _TEXT,
        },
        ("query", "results", "total", "semantic", "semantic_through"),
    ),
    "Message": _MESSAGE,
    "ThreadPage": _object({"threads": _list(_object(_THREAD)), "total": _COUNT, "next_cursor": _CURSOR}),
    "Thread": _object(
        {**_THREAD, "sessions": _list(_SESSION), "messages": _list(_ref("Message")), "next_cursor": _CURSOR}
    ),
    "Speakers": _object(
        {
            "agent_name": _TEXT,
            "agents": _list(_object({"did": _MAYBE_TEXT, "messages": _list(_ref("Message"))})),
            "next_cursor": _CURSOR,
        }
    ),
    "MessageSearchResult": _object(
        {
            "query": _TEXT,
            "results": _list({"allOf": [_ref("Message"), _object({"rank": {"type": "number"}})]}),
            "total": _COUNT,
        }
    ),
    "PrincipalWrite": _object(_PRINCIPAL, ("name", "role")),
    "PrincipalNamed": _object({**_PRINCIPAL, "token": _TEXT}, closed=True),
    "Principals": _object({"principals": _list(_object({**_PRINCIPAL, "created_at": _TIME}, closed=True))}),
    "PrincipalRemoved": _object({"name": _TEXT, "removed": _TRUTH}),
    "TalkWrite": _object({"url": _TEXT, "text": _TEXT, "thread": _TEXT}, ("url", "text")),
    "Talk": _object(
        {
            "thread_id": _TEXT,
            "name": _TEXT,
            "said": {"type": "object"},
            "answer": {"type": "object"},
            "text": _TEXT,
        }
    ),
    "Status": _object(
        {
            "agent": _object({"name": _TEXT, "did": _TEXT}),
            "version": _TEXT,
            "started_at": _TIME,
            "draining": _TRUTH,
            "running_tasks": _COUNT,
            "counts": {"type": "object", "additionalProperties": _COUNT},
            "memory": _object(
                {
                    "space_seq": _COUNT,
                    "semantic": _TRUTH,
                    "model": _MAYBE_TEXT,
                    "indexed_through": _COUNT,
                    "waiting": _COUNT,
                    "failure": _MAYBE_TEXT,
                }
            ),
        }
    ),
}
"""By name."""
