"""What is kept of an entry beside its own fields, and how much of it (MEM-001 §1.4.2 rule 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from csbond.protocol.memory.entry import refused

EXTRA_MAX = 64 * 1024
"""Bytes of all fields this version does not know, as JSON: room for every block of the drafts."""


def without_nulls(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that hold something: a null takes a field away."""
    return {name: value for name, value in raw.items() if value is not None}


def check_extra(extra: Mapping[str, Any]) -> None:
    """Nothing; `invalid_params` for what cannot be kept as JSON in UTF-8, and for more than `EXTRA_MAX` bytes.

    A supplied embedding has a limit of its own and does not count.
    """
    written = _written(extra)
    if len(written) > EXTRA_MAX:
        raise refused("unknown fields", f"have {len(written)} bytes; {EXTRA_MAX} are kept")
    if b"\\u0000" in written:
        raise refused("unknown fields", "must not hold the NUL character")


def united_extra(known: Mapping[str, Any], fresh: Mapping[str, Any]) -> Mapping[str, Any]:
    """The known fields with those of the fresh ones that they lack; the known ones alone when that is too much."""
    united = {**fresh, **known}
    metadata = {**fresh.get("metadata", {}), **known.get("metadata", {})}
    if metadata:
        united["metadata"] = metadata
    return united if len(_written(united)) <= EXTRA_MAX else known


def _written(extra: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps({name: value for name, value in extra.items() if name != "embedding"})
    except TypeError as fault:
        raise refused("unknown fields", f"cannot be kept: {fault}") from None
