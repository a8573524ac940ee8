"""The one byte form that is hashed and signed: RFC 8785 (JCS)."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

from csbond.protocol.errors import RemoteProtocolError


def canonical_bytes(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value; `invalid_params` for what JSON cannot say (NaN, 2**60, bytes)."""
    try:
        return bytes(rfc8785.dumps(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as fault:
        raise RemoteProtocolError("invalid_params", f"not canonical JSON: {fault}") from fault


def digest(value: Any) -> str:
    """`sha256:` and the hex digest of the canonical form."""
    return "sha256:" + hashlib.sha256(canonical_bytes(value)).hexdigest()
