"""The JSON schema of a memory entry (MEM-002 §2.1): what `spec/schemas/memory-v1.schema.json` says, and OpenAPI too.

A strict write is accepted exactly when this schema accepts the entry, as far as a schema can say it. What it cannot
say: texts are counted in NFC; a time is not ahead of the clock; links lead to other memories, and those are there;
`link_metadata` has at most 4 KiB, and all unknown fields together 64 KiB, without the NUL character.
"""

from __future__ import annotations

import json

from csbond.api.schema_parts import TRUTH, Schema, list_of, object_of
from csbond.protocol.memory.business_context import PRIORITY_MAX, REVENUE_IMPACTS, SCENARIO_MAX
from csbond.protocol.memory.entry import (
    CONTENT_MAX,
    EMBEDDING_MAX,
    ENTRY_TYPES,
    SOURCES,
    TAG_MAX,
    TAGS_MAX,
    Level,
    Visibility,
)
from csbond.protocol.memory.entry_fields import COUNT_MAX, FLOAT_MAX, ID_PATTERN
from csbond.protocol.memory.link import FOREIGN_TARGET_MAX, LINKS_MAX, RELATION_MAX
from csbond.protocol.memory.project import PROJECT_MAX

REQUIRED = ("id", "type", "content", "timestamp", "level")
"""What every stored entry has; of a write the node gives the id where the client gives none."""

_BLANK = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space, the same for every engine of regular expressions: each has its own idea of `\\s`."""
_GAP = _BLANK + r"_\-\ufe33\ufe34\ufe4d-\ufe4f\ufe63\uff0d\uff3f"
"""What parts the words of a project's name."""
_FORMAT = (
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    r"\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
"""Characters of formatting (Unicode's Cf): nobody sees them."""
_UNSEEN = rf"\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000{_FORMAT}"
_SAYABLE = r"[^\x00]"
_TRUTH_IN_A_TEXT = rf"^[{_BLANK}]*(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[01])[{_BLANK}]*$"
_TAG = (
    rf"^[{_BLANK}]*(?={_SAYABLE}{{0,{TAG_MAX - 1}}}[^{_UNSEEN}])"
    rf"[^\x00{_BLANK}](?:{_SAYABLE}{{0,{TAG_MAX - 2}}}[^\x00{_BLANK}])?[{_BLANK}]*$"
)
_FOREIGN = rf"^[A-Za-z][A-Za-z0-9+.-]*:[^\x00{_BLANK}]{_SAYABLE}*$"


def _not_blank(longest: int, blank: str = _BLANK) -> Schema:
    return {"type": "string", "maxLength": longest, "pattern": rf"^[{blank}]*[^\x00{blank}]{_SAYABLE}*$"}


def _any_case(word: str) -> str:
    return "".join(f"[{letter.upper()}{letter}]" for letter in word)


ID: Schema = {"type": "string", "pattern": f"^{ID_PATTERN}$"}
"""Of a memory (MEM-001 §1.3)."""
COUNTED: Schema = {"type": "integer", "minimum": 0, "maximum": COUNT_MAX}
MOMENT: Schema = {**COUNTED, "description": "Milliseconds since 1970, UTC."}
EMBEDDING: Schema = {
    "type": "array",
    "minItems": 1,
    "maxItems": EMBEDDING_MAX,
    "items": {"type": "number", "minimum": -FLOAT_MAX, "maximum": FLOAT_MAX},
}
TOLERANCE: Schema = object_of(
    {
        "strict": {"anyOf": [TRUTH, {"type": "string", "pattern": _TRUTH_IN_A_TEXT}, {"type": "null"}]},
        "strict_schema": {"anyOf": [TRUTH, {"type": "string", "pattern": _TRUTH_IN_A_TEXT}, {"type": "null"}]},
        "fallback_value": {},
        "compatibility": {
            "type": "string",
            "pattern": rf"^{_SAYABLE}*$",
            "description": "The lowest version that understands the entry, such as v1.",
        },
    },
    (),
)
LINK_PARTS: dict[str, Schema] = {
    "target_id": {
        "description": "A memory, or `<scheme>:<name>` for something that is none.",
        "anyOf": [ID, {"type": "string", "maxLength": FOREIGN_TARGET_MAX, "pattern": _FOREIGN}],
    },
    "relation": {"type": "string", "pattern": rf"^[a-z][a-z0-9_]{{0,{RELATION_MAX - 1}}}$"},
    "weight": {"type": "number", "minimum": 0, "maximum": 1, "default": 1},
}
"""Of one link (MEM-001 §1.5)."""
BUSINESS_CONTEXT: Schema = object_of(
    {
        "scenario": _not_blank(SCENARIO_MAX),
        "priority": {"type": "integer", "minimum": 0, "maximum": PRIORITY_MAX},
        "revenue_impact": {"type": "string", "enum": list(REVENUE_IMPACTS)},
        "compliance_required": TRUTH,
    },
    (),
)
ENTRY: dict[str, Schema] = {
    "id": ID,
    "type": {"type": "string", "enum": list(ENTRY_TYPES)},
    "content": _not_blank(CONTENT_MAX),
    "tags": {"type": "array", "maxItems": TAGS_MAX, "items": {"type": "string", "pattern": _TAG}},
    "timestamp": MOMENT,
    "source": {"type": "string", "enum": list(SOURCES)},
    "level": {
        "type": "string",
        "pattern": rf"^[{_BLANK}]*(?:{'|'.join(_any_case(level.value) for level in Level)})[{_BLANK}]*$",
    },
    "visibility": {"type": "string", "enum": [visibility.value for visibility in Visibility]},
    "embedding": EMBEDDING,
    "metadata": object_of(
        {
            "lastAccessed": MOMENT,
            "accessCount": COUNTED,
            "ttl": {**COUNTED, "description": "Milliseconds to live; 0 for ever."},
            "version": COUNTED,
            "project": {"anyOf": [_not_blank(PROJECT_MAX, _GAP), {"type": "null"}]},
            "reserved_meta": {},
        },
        (),
    ),
    "fault_tolerance": TOLERANCE,
    "links": {**list_of(object_of(LINK_PARTS, ("target_id", "relation"))), "maxItems": LINKS_MAX},
    "link_metadata": {"type": "object"},
    "business_context": BUSINESS_CONTEXT,
}
"""The fields a client may write, as a strict entry has them; others are kept and given back (MEM-001 §1.4.2)."""


def entry_schema() -> Schema:
    """The schema of a whole entry, as it is published."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:csb:schema:memory:v1",
        "title": "A memory entry (CSB-Memory, MEM-001 and MEM-002)",
        "description": "Texts are in NFC and counted in Unicode code points; fields it does not name are allowed.",
        **object_of(ENTRY, REQUIRED),
    }


def entry_schema_text() -> str:
    """`spec/schemas/memory-v1.schema.json`."""
    return json.dumps(entry_schema(), indent=2) + "\n"
