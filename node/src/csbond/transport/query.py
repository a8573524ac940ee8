"""Query parameters as v1.0 params (A2A v1.0.1 §11.5)."""

from __future__ import annotations

import re
from typing import Any

from starlette.datastructures import QueryParams

from csbond.protocol.errors import RemoteProtocolError

_NUMBER = re.compile(r"-?[0-9]{1,10}")
_LARGEST = 2**31 - 1
"""The whole numbers of the protocol have 32 bits."""
_NUMBERS = frozenset({"pageSize", "historyLength"})
_SNAKE = {"history_length": "historyLength", "page_size": "pageSize", "page_token": "pageToken"}
"""Spellings of ProtoJSON readers that take both; v0.3 clients use them."""
_TRUTHS = frozenset({"includeArtifacts"})
_TEXTS = frozenset({"contextId", "status", "pageToken", "statusTimestampAfter", "tenant"})


def query_params(query: QueryParams) -> dict[str, Any]:
    """The parameters this node knows; `invalid_params` for a number or truth value that is none.

    Unknown ones are ignored, as unknown fields of a body are.
    """
    params: dict[str, Any] = {}
    for stated, value in query.items():
        name = _SNAKE.get(stated, stated)
        if name in _NUMBERS:
            params[name] = _number(name, value)
        elif name in _TRUTHS:
            params[name] = _truth(name, value)
        elif name in _TEXTS:
            params[name] = value
    return params


def _number(name: str, value: str) -> int:
    if not _NUMBER.fullmatch(value) or not -_LARGEST <= int(value) <= _LARGEST:
        raise RemoteProtocolError("invalid_params", f"{name} must be a whole number of at most {_LARGEST}", field=name)
    return int(value)


def _truth(name: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise RemoteProtocolError("invalid_params", f"{name} must be true or false", field=name)
    return value == "true"
