"""Memories as other systems export them: a JSON list, or an object that has one, or one object a line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.memory.entry import ENTRY_TYPES, refused
from csbond.protocol.memory.foreign_lines import json_document, json_lines
from csbond.protocol.memory.foreign_record import SOURCE, ForeignName, ForeignRecord, Read, Unread, fitting_tags

AGENT = "json"
"""From whom these come, where nobody else is named."""
LISTS = ("memories", "results", "data", "items")
"""The members of an object that may have the list; the first that is there."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "content": ("content", "memory", "text", "data", "summary"),
    "timestamp": ("created_at", "timestamp", "updated_at"),
    "id": ("id",),
    "tags": ("tags", "categories", "labels"),
}
"""Where each field is looked for, in this order, unless it is told."""
_SECONDS_BELOW = 100_000_000_000
"""A number below this is taken for seconds: as milliseconds it would be before 1973-03-03."""


def records(source: bytes, agent: str = AGENT, told: Mapping[str, str] | None = None) -> Iterator[Read]:
    """A memory for each item; `told` says which member holds a field (`content`, `timestamp`, `id`, `tags`).

    What else an item has is kept under `imported`. `parse_error`, `invalid_params` for a source that has no list.
    """
    fields = {name: (told[name],) if told and name in told else names for name, names in FIELDS.items()}
    for place, item in _items(source):
        try:
            yield _record(item, place, agent, fields)
        except CsbError as fault:
            yield Unread(place, fault)


def checked_fields(pairs: Sequence[str]) -> dict[str, str]:
    """Which member holds a field, told as `<field>=<member>`; `invalid_params` for another field."""
    told: dict[str, str] = {}
    for pair in pairs:
        name, _, member = pair.partition("=")
        if name not in FIELDS or not member:
            raise refused("map", f"must be <field>=<member>, the field one of {', '.join(FIELDS)}")
        told[name] = member
    return told


def _items(source: bytes) -> Iterable[tuple[str, Any]]:
    if _is_lines(source):
        return json_lines(source)
    document = json_document(source)
    if isinstance(document, Mapping):
        if isinstance(document.get("snapshot"), Mapping):
            reason, instead = "body is a snapshot, whose memories are loaded and not imported", "load it as a snapshot"
            raise RemoteProtocolError("invalid_params", reason, next_step=instead, field="body")
        name = next((each for each in LISTS if isinstance(document.get(each), list)), None)
        if name is None:
            raise refused("body", f"must be a JSON list, or an object with one of {', '.join(LISTS)}")
        document = document[name]
    if not isinstance(document, list):
        raise refused("body", f"must be a JSON list, or an object with one of {', '.join(LISTS)}")
    return ((f"item {number}", item) for number, item in enumerate(document, 1))


def _is_lines(source: bytes) -> bool:
    """Whether the first line is an object of its own, and there are others."""
    first, more, rest = source.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not more or not first.startswith(b"{") or not rest.strip():
        return False
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return True


def _record(item: Any, place: str, agent: str, fields: Mapping[str, Sequence[str]]) -> ForeignRecord:
    if isinstance(item, CsbError):
        raise item
    if isinstance(item, str):
        item = {fields["content"][0]: item}
    if not isinstance(item, Mapping):
        raise refused("item", "must be an object or a text")
    used = {name: member for name, members in fields.items() if (member := _first(item, members))}
    if "content" not in used:
        raise refused("content", f"is missing: none of {', '.join(fields['content'])} is a text")
    tags = fitting_tags(_names(item.get(used.get("tags", ""))))
    rest = {name: value for name, value in item.items() if name not in used.values() and value is not None}
    kind = rest.pop("type", None)
    memory: dict[str, Any] = {
        "type": kind if kind in ENTRY_TYPES else "other",
        "source": SOURCE,
        "content": item[used["content"]],
        "tags": tags.tags,
    }
    if kind is not None and kind not in ENTRY_TYPES:
        rest["type"] = kind
    if tags.others:
        rest["tags"] = tags.others
    if "timestamp" in used:
        memory["timestamp"] = milliseconds(item[used["timestamp"]])
    if rest:
        memory["imported"] = rest
    return ForeignRecord(place, memory, ForeignName(agent, key=_key(item, used)))


def milliseconds(value: object) -> int:
    """A time as other systems write it: ISO 8601 (of UTC where it names no zone), seconds or milliseconds."""
    if isinstance(value, str):
        try:
            return _whole(float(value)) if _is_number(value) else _of_iso(value)
        except (ValueError, OverflowError):
            raise refused("timestamp", "is no time: neither ISO 8601 nor seconds or milliseconds") from None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53:
        return _whole(value)
    raise refused("timestamp", "is no time: neither ISO 8601 nor seconds or milliseconds")


def _of_iso(text: str) -> int:
    moment = datetime.fromisoformat(text.strip())
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _is_number(text: str) -> bool:
    return text.strip().replace(".", "", 1).isdecimal() and len(text) > len("20260131")


def _whole(number: float) -> int:
    return round(number * 1000 if number < _SECONDS_BELOW else number)


def _first(item: Mapping[str, Any], members: Sequence[str]) -> str:
    """The first of the members that holds something."""
    return next((name for name in members if item.get(name) not in (None, "", [])), "")


def _names(value: object) -> list[str]:
    if isinstance(value, str):
        return [each for each in value.split(",") if each.strip()]
    items = value if isinstance(value, list) else []
    return [str(each) for each in items if isinstance(each, str | int) and not isinstance(each, bool)]


def _key(item: Mapping[str, Any], used: Mapping[str, str]) -> str:
    id_ = item.get(used.get("id", ""))
    if isinstance(id_, str) and (id_.startswith('"') or id_.removeprefix("-").isdecimal() or id_ in ("True", "False")):
        id_ = f'"{id_}"'  # the number 31 and the text "31" are two ids
    told = f"id {id_}" if isinstance(id_, str | int) else f"text {item[used['content']]}"
    return f"json:{hashlib.sha256(told.encode(errors='replace')).hexdigest()[:32]}"
