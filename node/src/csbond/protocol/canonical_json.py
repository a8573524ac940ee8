"""The one byte form that is hashed and signed: RFC 8785 (JCS)."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
import rfc8785

from csbond.protocol.errors import RemoteProtocolError

_EXACT = 2**53 - 1
"""The largest integer that JSON says exactly (RFC 8785 §3.2.2.3)."""


def canonical_bytes(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value; `invalid_params` for what JSON cannot say (NaN, 2**60, bytes)."""
    try:
        if _is_plain(value):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)  # the same bytes, fifty times faster
    except TypeError:
        pass  # half a surrogate pair: the slow way names it
    try:
        return bytes(rfc8785.dumps(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as fault:
        raise RemoteProtocolError("invalid_params", f"not canonical JSON: {fault}") from fault


def digest(value: Any) -> str:
    """`sha256:` and the hex digest of the canonical form."""
    return "sha256:" + hashlib.sha256(canonical_bytes(value)).hexdigest()


def _is_plain(value: Any) -> bool:
    """Whether sorted keys are all that the canonical form asks for: fractions in vectors alone, and keys in ASCII."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii() or not (type(item) is str or _is_plain(item)):
                return False
        return True
    if kind is list:
        return all(map(_is_plain, value)) or _is_plain_vector(value)
    return kind is int and -_EXACT <= value <= _EXACT


def _is_plain_vector(value: list[Any]) -> bool:
    """Whether a list holds fractions alone that are written the same way: none needs an exponent or is whole."""
    if not all(type(number) is float for number in value):
        return False
    text = orjson.dumps(value)
    return b"e" not in text and b".0," not in text and not text.endswith(b".0]") and b"n" not in text
