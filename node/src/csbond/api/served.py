"""What the routes are given, and what they read from a request."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.requests import Request

from csbond.flows.world import World
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.filter import FILTERS, EntryFilter, checked_filter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import position_of
from csbond.protocol.trust.authority import authority_of
from csbond.transport.body import check_media_type, read_body, read_json
from csbond.transport.limits import TransportLimits

KEY_MAX = 255
"""Characters of an Idempotency-Key."""

_VERSION = re.compile(r'(?:W/)?("?)([0-9]{1,10})\1')
_ANY = "*"
_KEY = re.compile(rf"[\x21-\x7e]{{1,{KEY_MAX}}}")


@dataclass(frozen=True, slots=True)
class Served:
    """The node behind the routes."""

    world: World
    owner_digest: str
    """`token_digest` of the owner's token."""
    version: str
    """Version of the distribution."""
    started_at: int
    """When the process began, in milliseconds since 1970."""
    names: LevelNames = field(default_factory=LevelNames)
    limits: TransportLimits = field(default_factory=TransportLimits)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else `/v1/status` tells the owner, such as the database and versions of libraries."""


def served(request: Request) -> Served:
    """The node behind a request."""
    found: Served = request.app.state.served
    return found


def caller_of(request: Request) -> Caller:
    """Who was admitted (`api/guard.py`)."""
    found: Caller = request.state.caller
    return found


def intent_of(request: Request, goal: str) -> Intent:
    """The stated intent of a request, for its record."""
    caller = caller_of(request)
    return Intent(goal, caller.key, authority_of(caller))


async def json_body(request: Request) -> Any:
    """The JSON value of the body.

    `content_type_not_supported`, `body_too_large`, `request_timeout` or `parse_error`.
    """
    check_media_type(request)
    limits = served(request).limits
    return read_json(await read_body(request, limits), limits)


async def json_body_or_none(request: Request) -> Any:
    """The JSON value of the body, an empty object where there is none; refused as `json_body` refuses."""
    limits = served(request).limits
    body = await read_body(request, limits)
    if not body:
        return {}
    check_media_type(request)
    return read_json(body, limits)


def body_digest(value: Any) -> str:
    """What two bodies have in common when they say the same: order and white space do not matter."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def idempotency_key(request: Request) -> str:
    """The Idempotency-Key header; empty when there is none, `invalid_params` when it is none."""
    key = request.headers.get("idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise refused("Idempotency-Key", f"must have 1 to {KEY_MAX} visible ASCII characters")
    return key or ""


def expected_versions(request: Request) -> tuple[int, ...]:
    """The versions an If-Match header names; none for `*` and when there is no header."""
    tags = _tags(request, "if-match")
    if tags in ([], [_ANY]):
        return ()
    versions = _versions(tags)
    if len(versions) < len(tags):
        raise refused("If-Match", "must hold the version of an ETag header, or *")
    return versions


def no_versions(request: Request) -> None:
    """Nothing, unless an If-Match header names a version: `invalid_params`, for there is none of what is asked for."""
    if expected_versions(request):
        raise refused("If-Match", "names a version, and there is none of what is asked for here: leave it out")


def checked_query_filter(request: Request) -> EntryFilter:
    """The filter in the query of a list; `invalid_params` for a part that is empty or can match nothing."""
    here = served(request)
    given = {name: value for name, value in request.query_params.items() if name in FILTERS}
    return checked_filter(given, here.names, here.world.clock.now())


def is_known(request: Request, version: int) -> bool:
    """Whether an If-None-Match header names the version, or any (RFC 9110 §13.1.2); other tags name none."""
    tags = _tags(request, "if-none-match")
    return _ANY in tags or version in _versions(tags)


def _tags(request: Request, name: str) -> list[str]:
    return [tag.strip() for line in request.headers.getlist(name) for tag in line.split(",")]


def _versions(tags: list[str]) -> tuple[int, ...]:
    return tuple(int(match[2]) for tag in tags if (match := _VERSION.fullmatch(tag)))


def position(cursor: str | None) -> tuple[int, str] | None:
    """The place in a list that a cursor names; None for the first page."""
    if not cursor:
        return None
    try:
        return position_of(cursor)
    except CsbError:
        raise RemoteProtocolError(
            "invalid_params",
            "cursor is not one this node gave",
            next_step="start again without a cursor",
            field="cursor",
        ) from None
