"""The parts of a filter as clients name them, in the query of a list and in the body of a search (MEM-003 §3.1)."""

from __future__ import annotations

from collections.abc import Mapping

from csbond.api.entry_schema import ENTRY
from csbond.api.schema_parts import TIME, TRUTH, Schema
from csbond.protocol.memory.filter import TAG_NAME_MAX, TEXT_MAX, THREAD_MAX
from csbond.protocol.memory.link import FOREIGN_TARGET_MAX
from csbond.protocol.memory.project import PROJECT_MAX


def _text(longest: int, description: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest, "description": description}


LEVEL: Schema = {"type": "string", "description": "hot, warm or cold, or the name the home declares for it."}
SEARCH_FILTER: Mapping[str, Schema] = {
    "level": LEVEL,
    "type": ENTRY["type"],
    "tag": _text(TAG_NAME_MAX, "A tag."),
    "source": ENTRY["source"],
    "project": _text(PROJECT_MAX, "A project, in any case and width of letters."),
    "link_target": _text(FOREIGN_TARGET_MAX, "What the memory links to."),
    "since": {**TIME, "description": "The earliest timestamp, in milliseconds since 1970, UTC."},
    "until": {**TIME, "description": "The latest timestamp, in milliseconds since 1970, UTC."},
    "text": _text(TEXT_MAX, "Words that all stand in the memory."),
    "thread": _text(THREAD_MAX, "The thread the memory comes from."),
}
"""Of a search: each part narrows as much as alone."""
LIST_FILTER: Mapping[str, Schema] = {
    **SEARCH_FILTER,
    "deleted": {**TRUTH, "description": "The softly deleted ones instead of the living, for the owner."},
}
"""Of a list."""
