"""The skill that the table `[skill]` of csb.toml describes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from csbond.flows.turn import Skill
from csbond.skills import conformance, echo, function, http, memory, model, subprocess
from csbond.skills.function import FunctionSkill
from csbond.skills.kind import Kind
from csbond.skills.settings import SkillSettings, invalid, settings_from

GROUP = "csbond.skills"
"""The entry point group in which distributions offer skills."""
DEFAULT_KIND = "memory"

BUILT_IN: dict[str, Kind[Any]] = {
    part.KIND.name: part.KIND for part in (memory, echo, function, subprocess, http, model, conformance)
}
"""The kinds every node has; an entry point cannot take one of their names."""


def load_skill(table: Mapping[str, object], home: Path) -> Skill:
    """The skill of a table; an empty one gives the built-in memory. Relative paths in it start at the home.

    `setting_invalid` names the key, and what would be accepted.
    """
    kind = table.get("kind", DEFAULT_KIND)
    if not isinstance(kind, str):
        raise invalid("kind", "is not a text", f"known are: {', '.join(_names())}")
    rest = {key: value for key, value in table.items() if key != "kind"}
    if kind in BUILT_IN:
        return BUILT_IN[kind](rest, home)
    offered = list(entry_points(group=GROUP, name=kind))
    if not offered:
        raise invalid("kind", f"there is no kind {kind!r}", f"known are: {', '.join(_names())}")
    if len({each.value for each in offered}) > 1:
        raise invalid("kind", f"several distributions offer a kind {kind!r}", "uninstall all of them but one")
    return _offered_skill(offered[0], rest, home)


def _offered_skill(offer: EntryPoint, table: Mapping[str, object], home: Path) -> Skill:
    """What an entry point names: a skill, or a callable of (table, home) that makes one, such as a `Kind`."""
    try:
        found = offer.load()
    except (ImportError, AttributeError) as fault:
        raise invalid("kind", f"{offer.name!r} cannot be loaded: {fault}", "reinstall its distribution") from fault
    if isinstance(found, FunctionSkill):
        return found.with_settings(settings_from(SkillSettings, table, offer.name))
    if not _is_skill(found):
        if not callable(found):
            raise invalid("kind", f"{offer.name!r} ({offer.value}) is neither a skill nor makes one")
        found = found(table, home)
    elif table:
        raise invalid(next(iter(table)), f"a skill of kind {offer.name!r} has no settings")
    if not _is_skill(found):
        raise invalid("kind", f"{offer.name!r} ({offer.value}) made no skill, but {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def _is_skill(value: object) -> bool:
    return not isinstance(value, type) and hasattr(value, "card") and callable(getattr(value, "answer", None))


def _names() -> list[str]:
    hidden = conformance.KIND.name
    return sorted({*BUILT_IN, *(each.name for each in entry_points(group=GROUP))} - {hidden})
