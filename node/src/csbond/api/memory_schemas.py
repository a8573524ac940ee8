"""The JSON schemas of what `/v1/memory` takes and gives, as the OpenAPI document names them."""

from __future__ import annotations

from csbond.api.entry_schema import ENTRY, ID, LINK_PARTS
from csbond.api.exchange_schemas import EXCHANGE_SCHEMAS
from csbond.api.forgetting_schemas import FORGETTING_SCHEMAS
from csbond.api.memory import BATCH_MAX
from csbond.api.memory_filter import LEVEL, SEARCH_FILTER
from csbond.api.memory_search import QUERY_MAX
from csbond.api.network_schemas import COMPUTED, NETWORK_SCHEMAS
from csbond.api.schema_parts import COUNT, CURSOR, TEXT, TIME, TRUTH, Schema, list_of, named, object_of
from csbond.api.snapshot_schemas import SNAPSHOT_SCHEMAS
from csbond.flows.search_memory import LIMIT_DEFAULT, LIMIT_MAX
from csbond.protocol.memory.link import LINKS_MAX

_WRITE: Schema = {**ENTRY, "level": LEVEL}
_LINK = object_of(
    {**LINK_PARTS, "made_by": {"type": "string", "description": "The rule of the node that made it."}},
    ("target_id", "relation", "weight"),
)
_LEFT_OUT = {**list_of(TEXT), "description": "Of a merge: tags, links and fields there was no room for."}
_SHOWN: Schema = {
    **_WRITE,
    "links": list_of(named("MemoryLink")),
    "link_metadata": {
        **object_of({**COMPUTED, "declared": {"type": "object"}}, ("declared",)),
        "description": "What others declare of its links; where one memory is shown, also what the node computes.",
    },
    "seq": COUNT,
    "origin": object_of({"caller": TEXT, "thread_id": TEXT, "message_id": TEXT, "speaker": TEXT}),
    "extends": {"type": "string", "description": "The entry this piece of a long text goes on from."},
    "piece": COUNT,
    "text": {"type": "string", "description": "Of a piece: the text it belongs to, as much as one answer holds."},
    "pieces": {**list_of(TEXT), "description": "The memories whose contents, joined, are the text."},
    "next_cursor": {"type": "string", "description": "Leads to the rest of the text; empty at its end."},
    "indexed": {"type": "boolean", "description": "With ?wait=index: whether its vector is searchable now."},
    "merged": {"type": "boolean", "description": "That the entry was there, and took over what it lacked."},
    "left_out": _LEFT_OUT,
    "outlook": {**named("MemoryOutlook"), "description": "With ?outlook=true."},
    "understood": {"type": "boolean", "description": "False where the entry asks for a later version than v1."},
}
_ADDED: Schema = {"type": "array", "maxItems": LINKS_MAX, "items": object_of(LINK_PARTS, ("target_id",))}
_REMOVED: Schema = {
    "type": "array",
    "maxItems": LINKS_MAX,
    "items": object_of({"target_id": LINK_PARTS["target_id"], "relation": LINK_PARTS["relation"]}, ("target_id",)),
}
_CHANGE: Schema = {"add": _ADDED, "remove": _REMOVED}
_RESULT = object_of(
    {"status": COUNT, "id": TEXT, "left_out": _LEFT_OUT, "memory": named("Memory"), "error": {"type": "object"}},
    ("status",),
)
_ALL: Schema = {**COUNT, "description": "How many there are on all pages."}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_NUMBER: Schema = {"type": "number"}
_TERM = object_of(
    {"term": TEXT, "in": {**COUNT, "description": "How many memories hold it; for the owner."}}, ("term",)
)
_WORDS = object_of({"rank": _NUMBER, "coverage": _SHARE, "terms": list_of(_TERM)}, ("rank", "coverage", "terms"))
_MEANING = object_of({"cosine": _NUMBER, "p": _SHARE}, ("cosine", "p"))
_WHY: Schema = {
    **object_of(
        {
            "words": {"anyOf": [_WORDS, {"type": "null"}]},
            "meaning": {"anyOf": [_MEANING, {"type": "null"}]},
            "gate": _SHARE,
            "order": _NUMBER,
            "score": _SHARE,
        },
        ("words", "meaning", "gate", "order", "score"),
    ),
    "description": "What spoke for it, when `explain` asks: its words, its meaning, how much the words counted.",
}
_FOUND = {"allOf": [named("Memory"), object_of({"score": _SHARE, "why": _WHY}, ("score",))]}

MEMORY_SCHEMAS: dict[str, Schema] = {
    "Memory": object_of(_SHOWN, ("id", "type", "content", "tags", "timestamp", "source", "level", "metadata", "seq")),
    "MemoryLink": _LINK,
    "MemoryWrite": object_of(_WRITE, ("content",)),
    "MemoryEdit": object_of(_WRITE, ()),
    "MemoryBatch": object_of(
        {"memories": {"type": "array", "minItems": 1, "maxItems": BATCH_MAX, "items": named("MemoryWrite")}}
    ),
    "MemoryBatchResult": object_of(
        {
            "results": list_of(_RESULT),
            "stored": COUNT,
            "merged": COUNT,
            "refused": COUNT,
            "left_off": {**COUNT, "description": "How many of those kept are told by their ids alone."},
            "indexed": TRUTH,
        },
        ("results", "stored", "merged", "refused", "left_off"),
    ),
    "MemoryPage": object_of({"memories": list_of(named("Memory")), "total": _ALL, "next_cursor": CURSOR}),
    "MemoryDeleted": object_of({"id": TEXT, "deleted": TRUTH, "deleted_at": TIME, "entries": list_of(TEXT)}),
    "MemoryRestored": object_of(
        {
            "restored": list_of(TEXT),
            "spared_until": {**TIME, "description": "Until when no rule and no time to live takes it; 0: not spared."},
            "memory": named("Memory"),
        }
    ),
    "MemoryVersions": object_of({"versions": list_of(named("Memory")), "total": _ALL, "next_cursor": CURSOR}),
    "MemoryLinkWrite": object_of({"source_id": ID, **LINK_PARTS}, ("source_id", "target_id")),
    "MemoryLinked": object_of({"source": named("Memory"), "link": named("MemoryLink")}),
    "MemoryLinkChange": {
        "anyOf": [
            {**object_of(LINK_PARTS, ("target_id",)), "not": {"anyOf": [{"required": [each]} for each in _CHANGE]}},
            *({**object_of(_CHANGE, (each,)), "not": {"required": ["target_id"]}} for each in _CHANGE),
        ]
    },
    "MemorySearch": object_of(
        {
            "query": {"type": "string", "minLength": 1, "maxLength": QUERY_MAX},
            **SEARCH_FILTER,
            "limit": {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT},
            "threshold": {"type": "number", "minimum": 0, "maximum": 1, "default": 0},
            "explain": {**TRUTH, "default": False, "description": "Whether each result says why it was found."},
        },
        ("query",),
    ),
    "MemorySearchResult": object_of(
        {
            "query": TEXT,
            "results": list_of(_FOUND),
            "total": {**COUNT, "description": "How many were found, up to the limit."},
            "left_off": {**COUNT, "description": "How many of them this answer has no room for."},
            "semantic": TRUTH,
            "semantic_through": COUNT,
            "model": {**TEXT, "description": "Whose vectors were compared, when meaning took part."},
            "reason": TEXT,
        },
        ("query", "results", "total", "left_off", "semantic", "semantic_through"),
    ),
    **FORGETTING_SCHEMAS,
    "MemoryReindex": object_of({}, ()),
    "MemoryReindexing": object_of({"model": TEXT, "started": TRUTH, "entries": COUNT}),
    **SNAPSHOT_SCHEMAS,
    **NETWORK_SCHEMAS,
    **EXCHANGE_SCHEMAS,
}
"""By name."""
