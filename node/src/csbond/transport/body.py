"""Reading a request body: bounded in bytes, time, depth and values, and always with a clear answer."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.json_shape import check_shape
from csbond.transport.limits import TransportLimits

JSON_TYPES = frozenset({"application/json", "application/a2a+json", ""})


def check_media_type(request: Request) -> None:
    """Nothing for JSON (or no type at all); `content_type_not_supported` otherwise."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in JSON_TYPES:
        raise RemoteProtocolError(
            "content_type_not_supported",
            f"a body of type {media_type[:64]} is not read here",
            next_step="send Content-Type: application/json",
        )


async def read_body(request: Request, limits: TransportLimits) -> bytes:
    """The whole body; `body_too_large` or `request_timeout` when it does not fit."""
    stated = request.headers.get("content-length", "0")
    if stated.isdecimal() and int(stated) > limits.body_bytes:
        raise _too_large(limits)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.body_timeout_s):
            async for chunk in request.stream():
                size += len(chunk)
                if size > limits.body_bytes:
                    raise _too_large(limits)
                chunks.append(chunk)
    except TimeoutError as fault:
        raise RemoteProtocolError(
            "request_timeout", f"the body did not arrive within {limits.body_timeout_s:g} seconds"
        ) from fault
    except ClientDisconnect as fault:
        raise RemoteProtocolError("request_timeout", "the body ended before its length") from fault
    return b"".join(chunks)


def read_json(body: bytes, limits: TransportLimits) -> Any:
    """The JSON value; `parse_error` for anything else, for half surrogates and for too deep nesting.

    `body_too_large` for more values than the node looks at.
    """
    check_shape(body, limits.json_depth, limits.json_values)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        raise RemoteProtocolError("parse_error", f"not JSON in UTF-8: {fault.msg} at {fault.pos}") from fault


def _too_large(limits: TransportLimits) -> RemoteProtocolError:
    return RemoteProtocolError(
        "body_too_large",
        f"the body is longer than {limits.body_bytes} bytes",
        next_step="send files as url parts, or ask the owner to raise limits.body_bytes",
    )
