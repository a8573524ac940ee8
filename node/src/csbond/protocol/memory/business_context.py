"""The business context of an entry: kept and given back, without effect on what is forgotten (MEM-001 §1.5)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from csbond.protocol.memory.entry import checked_text, refused
from csbond.protocol.memory.entry_fields import choice
from csbond.protocol.memory.tolerance import FieldReader, Tolerance, truth, whole_number

SCENARIOS = ("故障排查", "用户画像", "决策支持", "技能适配")
"""Those the source names: finding faults, portraits of users, support of decisions, fitting of skills."""
SCENARIO_MAX = 64
"""Code points of a scenario's name."""
PRIORITY_MAX = 10
"""The source shows 3 and names no bound."""
REVENUE_IMPACTS = ("high", "medium", "low")


def checked_business_context(raw: object, tolerance: Tolerance) -> Mapping[str, Any]:
    """The context with its known fields read as far as the tolerance allows, and the unknown ones as they are.

    Every field may be left out. `invalid_params` names the one that is not accepted.
    """
    if not isinstance(raw, Mapping):
        raise refused("business_context", "must be an object")
    return {
        name: tolerance.optional.read(raw, name, _FIELDS[name], None, f"business_context.{name}")
        if name in _FIELDS
        else value
        for name, value in raw.items()
        if value is not None or (name in _FIELDS and tolerance.exact)
    }


def _scenario(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > SCENARIO_MAX:
        raise refused(name, f"must be a text of 1 to {SCENARIO_MAX} characters, such as {', '.join(SCENARIOS)}")
    return unicodedata.normalize("NFC", checked_text(name, value))


def _priority(name: str, value: Any) -> int:
    return whole_number(name, value, PRIORITY_MAX)


def _loose_priority(name: str, value: Any) -> int:
    digits = isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) <= len(str(PRIORITY_MAX))
    return _priority(name, int(value) if digits else value)


def _compliance(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise refused(name, "must be true or false")
    return value


_FIELDS: Mapping[str, FieldReader[Any]] = {
    "scenario": FieldReader(_scenario, _scenario, (str,)),
    "priority": FieldReader(_priority, _loose_priority, (int, float)),
    "revenue_impact": choice(REVENUE_IMPACTS),
    "compliance_required": FieldReader(_compliance, truth),
}
