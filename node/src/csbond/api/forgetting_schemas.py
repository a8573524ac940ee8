"""The JSON schemas of what the routes of tiers, of forgetting, of reviews and of the archive take and give."""

from __future__ import annotations

from typing import get_args

from csbond.api.entry_schema import ENTRY, ID
from csbond.api.memory_filter import LEVEL, LIST_FILTER
from csbond.api.reviews import ANSWERS
from csbond.api.schema_parts import COUNT, CURSOR, TEXT, TIME, TRUTH, Schema, list_of, named, object_of
from csbond.flows.tend_memory import AS_OF_MAX
from csbond.protocol.memory.entry import TAG_MAX, TAGS_MAX
from csbond.protocol.memory.entry_fields import COUNT_MAX
from csbond.protocol.memory.eviction import EvictionAction, Trigger
from csbond.protocol.memory.forgetting import Action, DefaultAction, Priority
from csbond.protocol.memory.forgetting_json import (
    AGE_HOURS_MAX,
    DOCUMENT,
    PROTECTED_TAGS_MAX,
    RULE_NAME_MAX,
    RULES_MAX,
)
from csbond.protocol.memory.review import ReviewKind, ReviewVerdict
from csbond.protocol.memory.whitespace import REASON_MAX
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX


def _one_of(words: object) -> Schema:
    return {"type": "string", "enum": list(get_args(words))}


def _names(longest: int, most: int) -> Schema:
    return {"type": "array", "maxItems": most, "items": {"type": "string", "minLength": 1, "maxLength": longest}}


def _saying(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


_PLACE: Schema = _saying(TEXT, "A tier by the home's name of it, or deleted, or erased.")
_NEXT_MOVE = object_of(
    {
        "to": _PLACE,
        "at": TIME,
        "because": _saying(TEXT, "`uses`, `found`, `unused`, `ttl` or `rule`."),
        "rule": _saying(TEXT, "The rule that takes it."),
        "asked": _saying(TRUTH, "True where a person is asked then, before it goes."),
    },
    ("to", "at", "because"),
)
_ALL: Schema = _saying(COUNT, "How many there are on all pages.")
_AS_OF: Schema = {**TIME, "maximum": AS_OF_MAX}
_PAGING: dict[str, Schema] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": PAGE_SIZE_MAX, "default": PAGE_SIZE_DEFAULT},
    "cursor": _saying(TEXT, "`next_cursor` of the page before."),
}
_MATCH = object_of(
    {
        "type": ENTRY["type"],
        "source": ENTRY["source"],
        "age_hours": {"type": "number", "minimum": 0, "maximum": AGE_HOURS_MAX},
        "tags": {**_names(TAG_MAX, TAGS_MAX), "minItems": 1},
    },
    (),
    closed=True,
)
_RULE = object_of(
    {
        "name": {"type": "string", "minLength": 1, "maxLength": RULE_NAME_MAX},
        "match": _saying(_MATCH, "Everything it names has to fit; only a rule that protects may leave it empty."),
        "action": _one_of(Action),
        "priority": {**_one_of(Priority), "default": "medium"},
    },
    ("name", "action"),
    closed=True,
)
_POLICY: dict[str, Schema] = {
    "enabled": TRUTH,
    "rules": {"type": "array", "maxItems": RULES_MAX, "items": _RULE},
    "default_action": _one_of(DefaultAction),
    "protected_tags": _names(TAG_MAX, PROTECTED_TAGS_MAX),
    "human_only": _saying(TRUTH, "Whether a person has to say yes before anything is deleted or cleared by itself."),
}
_COPY = object_of({"thread_id": TEXT, "message_id": TEXT, "task_id": TEXT}, ("thread_id", "message_id"))
_COPIES: Schema = _saying(list_of(_COPY), "Messages that still hold what was erased, with their tasks.")
_ERASED: Schema = _saying(TRUTH, "Whether no byte is left in the files; where not, the node tries again by itself.")
_MOVE: dict[str, Schema] = {
    "memoryId": TEXT,
    "action": _one_of(EvictionAction),
    "rule_name": _saying(TEXT, "The rule that asks for it."),
    "previousLevel": _PLACE,
    "newLevel": _PLACE,
}
_REVIEW: dict[str, Schema] = {
    "id": TEXT,
    "memory_id": TEXT,
    "version": _saying(COUNT, "The version of the memory it is about: an answer is for no other."),
    "kind": _one_of(ReviewKind),
    "proposed": object_of({"to": _PLACE, "trigger": TEXT, "rule_name": TEXT, "step": TEXT}, ("to", "trigger")),
    "reason": TEXT,
    "asked_at": TIME,
    "decided_at": _saying(TIME, "0 while it waits."),
    "verdict": _saying(_one_of(ReviewVerdict), "Empty while it waits; stale when the memory changed before."),
    "decided_by": TEXT,
    "again_at": _saying(TIME, "When what was declined may be asked again."),
}
_FORGOTTEN: dict[str, Schema] = {
    "dry_run": TRUTH,
    "count": _saying(COUNT, "How many memories, the pieces of long texts one by one."),
    "memories": _saying(list_of(named("Memory")), "Of a dry run: a page of what would be forgotten."),
    "next_cursor": CURSOR,
    "entries": _saying(list_of(TEXT), "The first of what was forgotten."),
    "left": _saying(COUNT, "How many somebody else changed meanwhile: they are as they were left."),
    "erased": _ERASED,
    "copies": _COPIES,
}
_FACTOR: Schema = {"type": "number", "minimum": 0}

FORGETTING_SCHEMAS: dict[str, Schema] = {
    "MemoryTier": object_of({"to": LEVEL}, (), closed=True),
    "MemoryTending": object_of(
        {
            "as_of": _saying(_AS_OF, "For when, in milliseconds since 1970, UTC; now, where it is left out."),
            "dry_run": _saying(TRUTH, "Tell what would be done, and do nothing."),
            "clear": _saying(TRUTH, "As of a time ahead of the clock: delete and clear, too."),
        },
        (),
        closed=True,
    ),
    "MemoryMove": object_of(
        {**_MOVE, "timestamp": TIME, "trigger": _one_of(Trigger), "step": _saying(TEXT, "The step of tending.")},
        ("memoryId", "action", "timestamp", "trigger", "previousLevel", "newLevel"),
    ),
    "MemoryTended": object_of(
        {
            "as_of": TIME,
            "dry_run": TRUTH,
            "steps": {"type": "object", "additionalProperties": COUNT, "description": "How much each step did."},
            "moves": list_of(named("MemoryMove")),
            "reviews": _saying(list_of(object_of(_REVIEW)), "What a person is asked now."),
            "left_off": _saying(COUNT, "How many moves and questions this answer has no room for."),
        }
    ),
    "MemoryOutlook": object_of(
        {
            "level": LEVEL,
            "uses": _saying(_FACTOR, "Uses that count for promotion."),
            "uses_wanted": _FACTOR,
            "unused_ms": COUNT,
            "frequency_factor": _FACTOR,
            "time_factor": _FACTOR,
            "score": _FACTOR,
            "score_wanted": _FACTOR,
            "sinking_score": _FACTOR,
            "pinned": TRUTH,
            "next_move": {
                "anyOf": [_NEXT_MOVE, {"type": "null"}],
                "description": "When nobody uses it any more; null where nothing moves it by itself.",
            },
        }
    ),
    "MemoryErased": object_of(
        {"id": TEXT, "erased": _ERASED, "entries": list_of(TEXT), "archived": TRUTH, "copies": _COPIES}
    ),
    "MemoryForget": object_of(
        {
            "filter": {**object_of(dict(LIST_FILTER), (), closed=True), "minProperties": 1},
            "mode": {"type": "string", "enum": ["soft", "hard"], "default": "soft"},
            "dry_run": {**TRUTH, "default": True},
            "expected": {**COUNT, "maximum": COUNT_MAX, "description": "The count of the dry run."},
            "reason": {"type": "string", "minLength": 1, "maxLength": REASON_MAX},
            **_PAGING,
        },
        ("filter",),
        closed=True,
    ),
    "MemoryForgotten": object_of(_FORGOTTEN, ("dry_run", "count")),
    "ForgettingPolicy": object_of(_POLICY, (), closed=True),
    "ForgettingDocument": object_of({DOCUMENT: named("ForgettingPolicy")}),
    "ForgettingWrite": {
        "anyOf": [
            named("ForgettingPolicy"),
            object_of(
                {DOCUMENT: named("ForgettingPolicy"), "human_only": _POLICY["human_only"]}, (DOCUMENT,), closed=True
            ),
        ]
    },
    "ForgettingPreview": object_of(
        {
            "document": _saying(named("ForgettingWrite"), "What to try out; the rules in force where it is left out."),
            "rules": _saying(list_of(TEXT), "The names of the rules to list; all where it is left out."),
            "as_of": _AS_OF,
            **_PAGING,
        },
        (),
        closed=True,
    ),
    "ForgettingPlan": object_of(
        {
            "plan": _saying(TEXT, "By which it is applied."),
            "planned": list_of(object_of(_MOVE)),
            "total": _ALL,
            "next_cursor": CURSOR,
        }
    ),
    "ForgettingApply": object_of({"plan": TEXT}, closed=True),
    "MemoryVerdict": object_of({"verdict": {"type": "string", "enum": list(ANSWERS)}}, closed=True),
    "MemoryReview": object_of(
        {
            **_REVIEW,
            "stale": _saying(TRUTH, "Whether the memory changed since: a yes would do nothing."),
            "memory": _saying(named("Memory"), "As it is now; missing when it was erased."),
        },
        (*_REVIEW, "stale"),
    ),
    "MemoryReviews": object_of({"reviews": list_of(named("MemoryReview")), "total": _ALL, "next_cursor": CURSOR}),
    "ArchivedMemory": object_of(
        {
            "id": ID,
            "type": ENTRY["type"],
            "timestamp": TIME,
            "original_level": LEVEL,
            "deleted_at": TIME,
            "cleared_at": TIME,
            "ethical_log": list_of(
                object_of(
                    {"reason": TEXT, "operator": TEXT, "timestamp": TIME, "trigger": TEXT, "rule_name": TEXT},
                    ("reason", "operator", "timestamp", "trigger"),
                )
            ),
        }
    ),
    "MemoryArchive": object_of({"archive": list_of(named("ArchivedMemory")), "total": _ALL, "next_cursor": CURSOR}),
}
"""By name."""
