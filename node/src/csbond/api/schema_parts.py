"""The small schemas that larger ones are put together from."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TIME: Schema = {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970, UTC."}
TRUTH: Schema = {"type": "boolean"}
CURSOR: Schema = {"type": "string", "description": "Leads to the next page; empty on the last."}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}


def object_of(properties: Schema, required: tuple[str, ...] | None = None, *, closed: bool = False) -> Schema:
    """An object of these properties, all required unless it is said which; a closed one has no others."""
    schema: Schema = {"type": "object", "properties": properties}
    wanted = tuple(properties) if required is None else required
    if wanted:
        schema["required"] = list(wanted)
    if closed:
        schema["additionalProperties"] = False
    return schema


def list_of(items: Schema) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items}


def named(name: str) -> Schema:
    """The schema of that name in the document."""
    return {"$ref": f"#/components/schemas/{name}"}
