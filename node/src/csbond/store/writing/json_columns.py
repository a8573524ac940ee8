"""JSON columns are text, so that a person with the database's shell can read them."""

from __future__ import annotations

from typing import Any

import orjson

from csbond.protocol.errors import RemoteProtocolError

EMPTY = "{}"
NONE = "[]"


def to_json(value: Any) -> str:
    """The text of a JSON value; `invalid_params` for what JSON or UTF-8 cannot say."""
    try:
        return orjson.dumps(value).decode()
    except TypeError as fault:
        raise RemoteProtocolError("invalid_params", f"a value cannot be stored: {fault}") from fault


def from_json(text: str) -> Any:
    """The value of a column that `to_json` wrote."""
    return orjson.loads(text)
