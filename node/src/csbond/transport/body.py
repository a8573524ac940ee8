"""Reading a request body: bounded in bytes, time, depth and values, and always with a clear answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import accumulate, count
from operator import sub
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from csbond.protocol.errors import RemoteProtocolError
from csbond.transport.limits import TransportLimits

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_AS_SQUARE = bytes.maketrans(b"{}", b"[]")
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
    _check_shape(body, limits)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        raise RemoteProtocolError("parse_error", f"not JSON in UTF-8: {fault.msg} at {fault.pos}") from fault


def _check_shape(body: bytes, limits: TransportLimits) -> None:
    """Nothing, unless what stands outside of texts nests too deep or holds too many values.

    A value that is not the first of its list or object has a comma before it, so commas and opening brackets are as
    many as values. Whatever is looped over is counted first.
    """
    brackets, commas = _counts(body)
    if brackets <= limits.json_depth and brackets + commas <= limits.json_values:
        return
    unescaped = _unescaped(body)
    if unescaped.count(b'"') <= 4 * limits.json_values + 4:  # a value and its name are two texts
        body = _bare(unescaped)
        brackets, commas = _counts(body)
    if brackets > (commas + 1) * limits.json_depth:  # no closing bracket is followed by an opening one
        raise _too_deep(limits)
    if brackets + commas > limits.json_values:
        raise _too_many_values(limits)
    closed = body.count(b"]") + body.count(b"}")
    if closed <= brackets and _nesting(body) > limits.json_depth:
        raise _too_deep(limits)


def _counts(text: bytes) -> tuple[int, int]:
    """The opening brackets and the commas of a text."""
    return text.count(b"[") + text.count(b"{"), text.count(b",")


def deepest_nesting(body: bytes) -> int:
    """How deep the brackets of a JSON text nest, texts left aside."""
    return _nesting(_bare(_unescaped(body)))


def _unescaped(body: bytes) -> bytes:
    """A JSON text in which every quote begins or ends a text."""
    return body.replace(b"\\\\", b"").replace(b'\\"', b"")


def _bare(unescaped: bytes) -> bytes:
    """What stands outside of texts."""
    return b"".join(unescaped.split(b'"')[::2])


def _nesting(bare: bytes) -> int:
    """How deep brackets nest.

    Between two closing brackets only opening ones are left, so their count says how deep it goes there; a loop over
    every byte would hold up everybody else.
    """
    runs = bare.translate(_AS_SQUARE, _NO_BRACKETS).split(b"]")
    depths: Iterator[int] = map(sub, accumulate(map(len, runs)), count())
    return max(depths)


def _too_deep(limits: TransportLimits) -> RemoteProtocolError:
    return RemoteProtocolError("parse_error", f"the JSON nests deeper than the {limits.json_depth} levels read here")


def _too_many_values(limits: TransportLimits) -> RemoteProtocolError:
    return RemoteProtocolError(
        "body_too_large",
        f"the body holds more than {limits.json_values} values",
        next_step="send data as a file part, or ask the owner to raise limits.json_values",
    )


def _too_large(limits: TransportLimits) -> RemoteProtocolError:
    return RemoteProtocolError(
        "body_too_large",
        f"the body is longer than {limits.body_bytes} bytes",
        next_step="send files as url parts, or ask the owner to raise limits.body_bytes",
    )
