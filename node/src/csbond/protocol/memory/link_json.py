"""Links as JSON: what clients may send and what they are shown (MEM-001 §1.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from csbond.protocol.memory import link_fields as fields
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.link import LINKS_MAX, Link
from csbond.protocol.memory.tolerance import Tolerance

_KNOWN = ("target_id", "relation", "weight", "made_by")
_COMPUTED = ("network_id", "centrality", "clusters")
"""What a node computes of links: beside a declared part it is a node's answer that comes back."""

DECLARED_MAX = 4 * 1024
"""Bytes of `link_metadata`, as JSON: names of networks and clusters, not a network."""


def link_from_json(raw: object, tolerance: Tolerance, label: str = "") -> Link:
    """One link; `invalid_params` names its part, with the label before it.

    The weight may be left out, and is 1 then; so may be the relation, unless the entry is strict: `relates_to`.
    """
    if not isinstance(raw, Mapping):
        raise refused(label.rstrip(".") or "link", "must be an object with target_id, relation and weight")
    return Link(
        target_id=tolerance.read(raw, "target_id", fields.TARGET, None, f"{label}target_id"),
        relation=tolerance.read(raw, "relation", fields.RELATION, "relates_to", f"{label}relation"),
        weight=tolerance.optional.read(raw, "weight", fields.WEIGHT, 1.0, f"{label}weight"),
    )


def links_from_json(value: object, tolerance: Tolerance) -> tuple[Link, ...]:
    """The links of an entry as they came; loosely, one alone is a list of one, and an id alone is a link to it."""
    items = value if isinstance(value, list) or tolerance.exact else [value]
    if not isinstance(items, list):
        raise refused("links", "must be a list of links, each with target_id, relation and weight")
    if tolerance.exact and len(items) > LINKS_MAX:
        raise refused("links", f"are {len(items)}; an entry has at most {LINKS_MAX}")
    return tuple(
        link_from_json(_as_object(item, tolerance), tolerance, f"links[{place}].") for place, item in enumerate(items)
    )


def unknown_link_fields(value: object, links: Sequence[Link]) -> dict[str, dict[str, Any]]:
    """What links that were read hold beside their known fields, by target and relation (MEM-001 §1.4.2 rule 1)."""
    unknown: dict[str, dict[str, Any]] = {}
    for item, link in zip(value if isinstance(value, list) else [value], links, strict=True):
        rest = {name: each for name, each in item.items() if name not in _KNOWN} if isinstance(item, Mapping) else {}
        if rest:
            unknown.setdefault(link.target_id, {})[link.relation] = rest
    return unknown


def link_to_json(link: Link, unknown: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """A link as it is shown, with its unknown fields; `made_by` names the rule of this node that made it."""
    rest = (unknown or {}).get(link.target_id, {}).get(link.relation, {})
    raw: dict[str, Any] = {"target_id": link.target_id, "relation": link.relation, "weight": link.weight, **rest}
    if link.made_by:
        raw["made_by"] = link.made_by
    return raw


def declared(raw: object) -> Mapping[str, Any]:
    """What came as `link_metadata`, apart from what this node computes; what was set apart before stays as it is.

    `invalid_params` when it is no object, or more than `DECLARED_MAX` bytes.
    """
    if not isinstance(raw, Mapping):
        raise refused("link_metadata", "must be an object")
    kept = set_apart(raw)
    try:
        size = len(orjson.dumps(kept))
    except TypeError as fault:
        raise refused("link_metadata", f"cannot be kept: {fault}") from None
    if size > DECLARED_MAX:
        raise refused("link_metadata", f"has {size} bytes; {DECLARED_MAX} are kept")
    return kept


def set_apart(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is declared, alone: all of it when it names no such part, else that and what the node does not compute."""
    inner = raw.get("declared")
    if not isinstance(inner, Mapping):
        return {"declared": dict(raw)}
    beside = {name: value for name, value in raw.items() if name not in ("declared", *_COMPUTED)}
    return {"declared": {**beside, **inner}}


def _as_object(item: object, tolerance: Tolerance) -> object:
    return {"target_id": item} if isinstance(item, str) and not tolerance.exact else item
