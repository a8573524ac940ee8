"""Which memories an entry names in what it keeps of links beside the links: that goes when they are erased.

It is in two places: fields of links that are not known, by their target, and what was declared of links, in any form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from csbond.protocol.memory.extra_fields import without_nulls
from csbond.protocol.memory.link_extra import LINK_FIELDS

_ID_BEGINS = "mem_"
_LINK_METADATA = "link_metadata"


def named_targets(extra: Mapping[str, Any]) -> frozenset[str]:
    """The ids that extra fields of an entry tell of, as the target of a link or anywhere in what was declared."""
    if LINK_FIELDS not in extra and _LINK_METADATA not in extra:
        return frozenset()
    told = (*_texts(extra.get(LINK_FIELDS)), *_texts(extra.get(_LINK_METADATA)))
    return frozenset(text for text in told if text.startswith(_ID_BEGINS))


def without_target(extra: Mapping[str, Any], target_id: str) -> Mapping[str, Any]:
    """The extra fields without what they tell of one memory; the same when they tell nothing of it."""
    if target_id not in named_targets(extra):
        return extra
    told = {name: extra[name] for name in (LINK_FIELDS, _LINK_METADATA) if name in extra}
    left = _without(told, target_id)
    return without_nulls({**extra, **{name: left.get(name) for name in told}})


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _without(value: Any, target_id: str) -> Any:
    """What is under the id, is the id, or says in its `target_id` that it is about it, goes; and what is empty then."""
    if isinstance(value, Mapping):
        left = {name: _without(each, target_id) for name, each in value.items() if name != target_id}
        return {name: each for name, each in left.items() if _stays(value[name], each, target_id)}
    if isinstance(value, list | tuple):
        pairs = ((each, _without(each, target_id)) for each in value)
        return [left for each, left in pairs if _stays(each, left, target_id)]
    return value


def _stays(value: object, left: object, target_id: str) -> bool:
    is_about = value == target_id or (isinstance(value, Mapping) and value.get("target_id") == target_id)
    return not is_about and (bool(left) or not value)
