"""The JSON schemas of what `/v1` takes and gives, as the OpenAPI document names them."""

from __future__ import annotations

from csbond.api.memory_schemas import MEMORY_SCHEMAS
from csbond.api.schema_parts import COUNT, CURSOR, MAYBE_TEXT, TEXT, TIME, TRUTH, Schema, list_of, named, object_of
from csbond.protocol.errors import REGISTRY
from csbond.protocol.messages.caller import Role

_MESSAGE = object_of(
    {
        "message_id": TEXT,
        "thread_id": TEXT,
        "session_id": MAYBE_TEXT,
        "task_id": MAYBE_TEXT,
        "parent_id": MAYBE_TEXT,
        "caller": TEXT,
        "sender": object_of({"name": TEXT, "did": TEXT, "verified": TRUTH}),
        "role": {"type": "string", "enum": ["user", "agent"]},
        "said_at": TIME,
        "importance": {"type": "number", "minimum": 0, "maximum": 1},
        "private": TRUTH,
        "text": TEXT,
        "seq": COUNT,
    }
)
_THREAD: Schema = {
    "thread_id": TEXT,
    "caller": TEXT,
    "space": TEXT,
    "title": TEXT,
    "opened_at": TIME,
    "updated_at": TIME,
    "message_count": COUNT,
}
_SESSION = object_of(
    {"session_id": TEXT, "continuity_ref": MAYBE_TEXT, "agent_lifespan": {"type": "number"}, "opened_at": TIME}
)
_PRINCIPAL: Schema = {
    "name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
    "role": {"type": "string", "enum": [role.value for role in Role]},
    "spaces": list_of(TEXT),
}

SCHEMAS: dict[str, Schema] = {
    "Error": object_of(
        {
            "error": object_of(
                {
                    "code": {"type": "string", "enum": sorted(REGISTRY)},
                    "reason": TEXT,
                    "field": TEXT,
                    "next_step": TEXT,
                },
                ("code", "reason"),
            )
        }
    ),
    "A2AError": object_of(
        {"error": object_of({"code": COUNT, "status": TEXT, "message": TEXT, "details": list_of({"type": "object"})})}
    ),
    "JsonRpcAnswer": object_of(
        {
            "jsonrpc": {"type": "string", "const": "2.0"},
            "id": {"type": ["string", "number", "null"]},
            "result": {},
            "error": object_of({"code": {"type": "integer"}, "message": TEXT, "data": {}}, ("code", "message")),
        },
        ("jsonrpc", "id"),
    ),
    **MEMORY_SCHEMAS,
    "Message": _MESSAGE,
    "ThreadPage": object_of({"threads": list_of(object_of(_THREAD)), "total": COUNT, "next_cursor": CURSOR}),
    "Thread": object_of(
        {**_THREAD, "sessions": list_of(_SESSION), "messages": list_of(named("Message")), "next_cursor": CURSOR}
    ),
    "Speakers": object_of(
        {
            "agent_name": TEXT,
            "agents": list_of(object_of({"did": MAYBE_TEXT, "messages": list_of(named("Message"))})),
            "next_cursor": CURSOR,
        }
    ),
    "MessageSearchResult": object_of(
        {
            "query": TEXT,
            "results": list_of({"allOf": [named("Message"), object_of({"rank": {"type": "number"}})]}),
            "total": COUNT,
        }
    ),
    "PrincipalWrite": object_of(_PRINCIPAL, ("name", "role")),
    "PrincipalNamed": object_of({**_PRINCIPAL, "token": TEXT}, closed=True),
    "Principals": object_of({"principals": list_of(object_of({**_PRINCIPAL, "created_at": TIME}, closed=True))}),
    "PrincipalRemoved": object_of({"name": TEXT, "removed": TRUTH}),
    "TalkWrite": object_of({"url": TEXT, "text": TEXT, "thread": TEXT}, ("url", "text")),
    "Talk": object_of(
        {
            "thread_id": TEXT,
            "name": TEXT,
            "said": {"type": "object"},
            "answer": {"type": "object"},
            "text": TEXT,
        }
    ),
    "Status": object_of(
        {
            "agent": object_of({"name": TEXT, "did": TEXT}),
            "version": TEXT,
            "started_at": TIME,
            "draining": TRUTH,
            "running_tasks": COUNT,
            "counts": {"type": "object", "additionalProperties": COUNT},
            "memory": object_of(
                {
                    "space_seq": COUNT,
                    "semantic": TRUTH,
                    "model": MAYBE_TEXT,
                    "indexed_through": COUNT,
                    "waiting": COUNT,
                    "failure": MAYBE_TEXT,
                    "no_embedder": MAYBE_TEXT,
                    "remaking": TRUTH,
                    "index": MAYBE_TEXT,
                    "index_note": MAYBE_TEXT,
                }
            ),
        }
    ),
}
"""By name."""
