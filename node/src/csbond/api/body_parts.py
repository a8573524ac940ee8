"""Parts of a request's body that several routes of memory have; a part that is not there is as preset."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from csbond.api.served import Served, position
from csbond.flows.tend_memory import AS_OF_MAX
from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.memory import entry_fields as fields
from csbond.protocol.memory.entry import Level, refused
from csbond.protocol.memory.filter import EntryFilter, checked_filter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX

Body = Mapping[str, Any]
Preset = TypeVar("Preset", int, None)

CURSOR_MAX = 512
"""Characters of a cursor."""
_NAME_SHOWN = 64


def parts_of(raw: object, known: Collection[str]) -> Body:
    """The body as an object; `invalid_params` for a part there is none of, since it may have been meant to narrow."""
    body = fields.whole_object(raw)
    for name in body:
        if name not in known:
            raise refused(str(name)[:_NAME_SHOWN], f"is no part of this body; there are {', '.join(known)}")
    return body


def truth_in(body: Body, name: str, preset: bool) -> bool:
    """True or false."""
    value = body.get(name, preset)
    if not isinstance(value, bool):
        raise refused(name, "must be true or false")
    return value


def count_in(body: Body, name: str, preset: Preset) -> int | Preset:
    """A whole number from 0."""
    return fields.COUNT.exact(name, body[name]) if name in body else preset


def moment_in(body: Body, name: str) -> int | None:
    """A time in milliseconds since 1970, ahead of the clock too."""
    value = count_in(body, name, None)
    if value is not None and value > AS_OF_MAX:
        raise refused(name, f"must be a time from 0 to {AS_OF_MAX}, in milliseconds since 1970")
    return value


def choice_in(body: Body, name: str, choices: Collection[str], preset: str = "") -> str:
    """One of some words; without a preset it must be there."""
    value = body.get(name, preset)
    if not isinstance(value, str) or value not in choices:
        raise refused(name, f"must be one of {', '.join(choices)}")
    return value


def texts_in(body: Body, name: str) -> tuple[str, ...]:
    """A list of texts."""
    value = body.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise refused(name, "must be a list of texts")
    return tuple(value)


def limit_in(body: Body) -> int:
    """How many rows of a page."""
    value = body.get("limit", PAGE_SIZE_DEFAULT)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= PAGE_SIZE_MAX:
        raise refused("limit", f"must be a whole number from 1 to {PAGE_SIZE_MAX}")
    return value


def place_in(body: Body) -> tuple[int, str] | None:
    """The place in a list that a cursor names; None for the first page."""
    value = body.get("cursor", "")
    if not isinstance(value, str) or len(value) > CURSOR_MAX:
        raise refused("cursor", f"must be the next_cursor of the page before, of at most {CURSOR_MAX} characters")
    return position(value)


def level_in(body: Body, name: str, names: LevelNames) -> Level | None:
    """A tier by the names of this home."""
    if name not in body:
        return None
    try:
        return names.level(body[name])
    except RemoteProtocolError as fault:
        raise told_as(fault, name) from None


def filter_in(body: Body, name: str, here: Served) -> EntryFilter:
    """A filter; what is wrong in it is named by its place in this body."""
    value = body.get(name)
    if not isinstance(value, Mapping):
        raise refused(name, "must be an object of parts, each of which narrows")
    try:
        return checked_filter(value, here.names, here.world.clock.now())
    except RemoteProtocolError as fault:
        raise told_as(fault, f"{name}.{fault.field}") from None


def told_as(fault: CsbError, place: str) -> RemoteProtocolError:
    """The refusal of a field, by another name of it."""
    return refused(place, fault.reason.removeprefix(f"{fault.field} "))
