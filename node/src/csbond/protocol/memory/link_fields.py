"""Readers of the parts of a link: exactly as the schema has them, and as loosely as MEM-001 §1.4.2 allows."""

from __future__ import annotations

import math
from typing import Any

from csbond.protocol.memory.entry import checked_text, refused
from csbond.protocol.memory.entry_fields import is_entry_id
from csbond.protocol.memory.link import FOREIGN_TARGET_MAX, RELATION_MAX, checked_relation, is_foreign
from csbond.protocol.memory.project import folded_name
from csbond.protocol.memory.tolerance import FieldReader


def _target(name: str, value: Any) -> str:
    if isinstance(value, str) and (is_entry_id(value) or is_foreign(value)) and len(value) <= FOREIGN_TARGET_MAX:
        return checked_text(name, value)
    raise refused(
        name,
        f"must be the id of a memory, or <scheme>:<name> of at most {FOREIGN_TARGET_MAX} characters for another thing",
    )


def _loose_target(name: str, value: Any) -> str:
    return _target(name, value.strip() if isinstance(value, str) else value)


def _relation(name: str, value: Any) -> str:
    return checked_relation(value, name)


def _loose_relation(name: str, value: Any) -> str:
    return checked_relation(folded_name(value).replace("-", "_") if isinstance(value, str) else value, name)


def _weight(name: str, value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise refused(name, "must be a number from 0 to 1")
    return float(value)


def _loose_weight(name: str, value: Any) -> float:
    if not isinstance(value, str):
        return _weight(name, value)
    try:
        return _weight(name, float(value))
    except ValueError:
        return _weight(name, math.nan)


TARGET = FieldReader(_target, _loose_target, longest=FOREIGN_TARGET_MAX)
"""The id of a memory or a foreign name."""
RELATION = FieldReader(_relation, _loose_relation, longest=RELATION_MAX)
"""A relation; loosely, in any case and width of letters, with spaces and hyphens for `_`."""
WEIGHT = FieldReader(_weight, _loose_weight, (int, float))
"""A number from 0 to 1; loosely, its digits as a text."""
