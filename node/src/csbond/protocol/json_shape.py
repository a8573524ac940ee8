"""How deep a JSON text nests and how many values it holds, counted before it is read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, count
from operator import sub

from csbond.protocol.errors import RemoteProtocolError

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_AS_SQUARE = bytes.maketrans(b"{}", b"[]")

_PART = 1024 * 1024
"""Bytes that are cut up at once."""


def check_shape(body: bytes, depth: int, values: int, nested: int | None = None) -> None:
    """Nothing, unless what stands outside of texts nests too deep (`parse_error`) or holds too many values.

    The second is `body_too_large`, and so are more lists and objects than `nested`, where that is given.

    A value that is not the first of its list or object has a comma before it, so commas and opening brackets are as
    many as values. Whatever is looped over is counted first.
    """
    brackets, commas = _counts(body)
    if brackets <= depth and brackets + commas <= values and (nested is None or brackets <= nested):
        return
    unescaped = _unescaped(body)
    if unescaped.count(b'"') <= 4 * values + 4:  # a value and its name are two texts
        body = _bare(unescaped)
        brackets, commas = _counts(body)
    if brackets > (commas + 1) * depth:  # no closing bracket is followed by an opening one
        raise _too_deep(depth)
    if brackets + commas > values:
        raise _too_many_values(values)
    if nested is not None and brackets > nested:
        raise _too_many_values(nested, "lists and objects")
    closed = body.count(b"]") + body.count(b"}")
    if closed <= brackets and _nesting(body) > depth:
        raise _too_deep(depth)


def _counts(text: bytes) -> tuple[int, int]:
    """The opening brackets and the commas of a text."""
    return text.count(b"[") + text.count(b"{"), text.count(b",")


def deepest_nesting(body: bytes) -> int:
    """How deep the brackets of a JSON text nest, texts left aside."""
    return _nesting(_bare(_unescaped(body)))


def count_of_names(body: bytes) -> int:
    """How many names the objects of a JSON text have, each as often as it comes."""
    return _bare(_unescaped(body)).count(b":")


def _unescaped(body: bytes) -> bytes:
    """A JSON text in which every quote begins or ends a text."""
    return body.replace(b"\\\\", b"").replace(b'\\"', b"")


def _bare(unescaped: bytes) -> bytes:
    """What stands outside of texts; cut up part by part, as many short pieces take more room than the text."""
    bare, inside = bytearray(), False
    for begin in range(0, len(unescaped), _PART):
        pieces = unescaped[begin : begin + _PART].split(b'"')
        bare += b"".join(pieces[inside::2])
        inside ^= len(pieces) % 2 == 0
    return bytes(bare)


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


def _too_many_values(values: int, what: str = "values") -> RemoteProtocolError:
    return RemoteProtocolError(
        "body_too_large",
        f"the body holds more than {values} {what}",
        next_step="send data as a file part, or ask the owner to raise limits.json_values",
    )
