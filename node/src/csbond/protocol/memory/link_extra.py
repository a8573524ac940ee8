"""What links hold beside their known fields: kept in their entry, by target and relation (MEM-001 §1.4.2 rule 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from csbond.protocol.memory.extra_fields import without_nulls

LINK_FIELDS = "link_fields"
"""The name under which an entry keeps them; they are shown in their links."""

Pair = tuple[str, str]
"""A target and a relation: what tells the links of one entry apart."""
LinkFields = dict[str, dict[str, Mapping[str, Any]]]


def without_links(extra: Mapping[str, Any], gone: Collection[Pair]) -> Mapping[str, Any]:
    """The extra fields of an entry without what links held that are taken away."""
    left = {pair: rest for pair, rest in _pairs(extra.get(LINK_FIELDS)) if pair not in gone}
    return without_nulls({**extra, LINK_FIELDS: _by_target(left) or None})


def without_unresolved(extra: Mapping[str, Any]) -> Mapping[str, Any]:
    """The extra fields of an entry without what of its links of an earlier version leads nowhere."""
    declared = extra.get("link_metadata", {}).get("declared", {})
    if "unresolved" not in declared:
        return extra
    left = {name: value for name, value in declared.items() if name != "unresolved"}
    return without_nulls({**extra, "link_metadata": {"declared": left} if left else None})


def with_link_fields(extra: Mapping[str, Any], fresh: LinkFields) -> Mapping[str, Any]:
    """The extra fields of an entry with what its links hold now; what is not said anew stays."""
    return {**extra, LINK_FIELDS: united_link_fields(fresh, extra.get(LINK_FIELDS))} if fresh else extra


def united_link_fields(known: object, fresh: object) -> LinkFields:
    """What links of both hold; of one that both have, what the known one says and what it lacks."""
    united = dict(_pairs(known))
    for pair, rest in _pairs(fresh):
        united[pair] = {**rest, **united.get(pair, {})}
    return _by_target(united)


def _by_target(fields: Mapping[Pair, Mapping[str, Any]]) -> LinkFields:
    by_target: LinkFields = {}
    for (target_id, relation), rest in fields.items():
        by_target.setdefault(target_id, {})[relation] = rest
    return by_target


def _pairs(value: object) -> Iterator[tuple[Pair, Mapping[str, Any]]]:
    for target_id, relations in value.items() if isinstance(value, Mapping) else ():
        for relation, rest in relations.items() if isinstance(relations, Mapping) else ():
            if isinstance(rest, Mapping):
                yield (target_id, relation), rest
