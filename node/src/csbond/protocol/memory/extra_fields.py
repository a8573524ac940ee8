"""What is kept of an entry beside its own fields, and how much of it (MEM-001 §1.4.2 rule 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


def united_extra(
    known: Mapping[str, Any], fresh: Mapping[str, Any], most: int = EXTRA_MAX
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The known fields with those of the fresh ones that they lack, and the names of those there is no room for.

    Blocks of fields are united field by field: metadata, the business context, what was declared of links and what
    links hold. A field that both have stays as it is.
    """
    united = _copied(known)
    used = len(_written(known))
    left_out: list[str] = []
    for path, value in _parts(fresh):
        if _lacks(united, path):
            size = 0 if path[0] == "embedding" else _size(path, value)
            if used + size <= most:
                _put(united, path, value)
                used += size
            else:
                left_out.append(".".join(path))
    return united, tuple(left_out)


_BLOCKS: Mapping[str, Any] = {
    "metadata": None,
    "business_context": None,
    "link_metadata": {"declared": None},
    "link_fields": {"*": {"*": None}},
}
"""The blocks whose fields are united one by one; `*` is any name."""


def _parts(fields: Mapping[str, Any], blocks: Mapping[str, Any] = _BLOCKS) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each field by its path, those of the blocks one by one."""
    for name, value in fields.items():
        inner = blocks.get(name, blocks.get("*", _NO_BLOCK))
        if inner is _NO_BLOCK or not isinstance(value, Mapping):
            yield (name,), value
        else:
            yield from (((name, *path), part) for path, part in _parts(value, inner or {}))


_NO_BLOCK = object()


def _lacks(fields: Mapping[str, Any], path: Sequence[str]) -> bool:
    """Whether there is nothing at the path, nor anything but a block on the way to it."""
    for name in path[:-1]:
        inner = fields.get(name, {})
        if not isinstance(inner, Mapping):
            return False
        fields = inner
    return path[-1] not in fields


def _copied(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _copied(value) if isinstance(value, Mapping) else value for name, value in fields.items()}


def _put(fields: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        fields = fields.setdefault(name, {})
    fields[path[-1]] = value


def _size(path: Sequence[str], value: Any) -> int:
    """At most how many bytes a field adds."""
    for name in reversed(path):
        value = {name: value}
    return len(orjson.dumps(value))


def _written(extra: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps({name: value for name, value in extra.items() if name != "embedding"})
    except TypeError as fault:
        raise refused("unknown fields", f"cannot be kept: {fault}") from None
