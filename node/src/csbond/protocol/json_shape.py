"""How deep a JSON text nests and how many values it holds, counted before it is read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, count
from operator import sub

from csbond.protocol.errors import RemoteProtocolError

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_AS_SQUARE = bytes.maketrans(b"{}", b"[]")


def check_shape(body: bytes, depth: int, values: int) -> None:
    """Nothing, unless what stands outside of texts nests too deep (`parse_error`) or holds too many values.

    The second is `body_too_large`.

    A value that is not the first of its list or object has a comma before it, so commas and opening brackets are as
    many as values. Whatever is looped over is counted first.
    """
    brackets, commas = _counts(body)
    if brackets <= depth and brackets + commas <= values:
        return
    unescaped = _unescaped(body)
    if unescaped.count(b'"') <= 4 * values + 4:  # a value and its name are two texts
        body = _bare(unescaped)
        brackets, commas = _counts(body)
    if brackets > (commas + 1) * depth:  # no closing bracket is followed by an opening one
        raise _too_deep(depth)
    if brackets + commas > values:
        raise _too_many_values(values)
    closed = body.count(b"]") + body.count(b"}")
    if closed <= brackets and _nesting(body) > depth:
        raise _too_deep(depth)


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


def _too_deep(depth: int) -> RemoteProtocolError:
    return RemoteProtocolError("parse_error", f"the JSON nests deeper than the {depth} levels read here")


def _too_many_values(values: int) -> RemoteProtocolError:
    return RemoteProtocolError(
        "body_too_large",
        f"the body holds more than {values} values",
        next_step="send data as a file part, or ask the owner to raise limits.json_values",
    )
