"""Which facets an entry may have, by its type (§4.4).

A decision may settle anything. A constraint states what must hold, and a stage of life is decided, not held to. A
rejected approach is something one could do, so not a quality such as compatibility or performance, nor a stage. A
preference, rule or profile says how work is done, and never settles what others must be able to rely on.
"""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.problems import Refused

__all__ = ["ALLOWED_FACETS", "FACETS", "check_facet"]

FACETS: Final = (
    "adoption-policy",
    "version-policy",
    "architecture",
    "behavior",
    "compatibility",
    "security",
    "performance",
    "data-model",
    "interface",
    "workflow",
    "lifecycle",
)

_REJECTABLE: Final = tuple(facet for facet in FACETS if facet not in {"compatibility", "performance", "lifecycle"})
_HOW_WORK_IS_DONE: Final = ("behavior", "interface", "workflow")

ALLOWED_FACETS: Final[dict[str, tuple[str, ...]]] = {
    "decision": FACETS,
    "area": FACETS,
    "constraint": tuple(facet for facet in FACETS if facet != "lifecycle"),
    "do-not-use": _REJECTABLE,
    "tombstone": _REJECTABLE,
    "preference": ("adoption-policy", *_HOW_WORK_IS_DONE),
    "rule": ("security", *_HOW_WORK_IS_DONE),
    "profile": _HOW_WORK_IS_DONE,
}


def check_facet(entry_type: str, facet: str) -> None:
    """Refuse a facet that does not exist, or does not fit the type; the message lists those that do."""
    fitting = ", ".join(ALLOWED_FACETS[entry_type])
    if facet not in FACETS:
        raise Refused(f"Facet '{facet}' is not valid; {entry_type} accepts: {fitting}")
    if facet not in ALLOWED_FACETS[entry_type]:
        raise Refused(f"Facet '{facet}' does not fit type {entry_type}; it accepts: {fitting}")
