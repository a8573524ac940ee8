"""Where an entry holds: in the whole project, or in one area (§5.2)."""

from __future__ import annotations

import re

from memory_custodian.rules.problems import Refused

__all__ = ["area_of", "is_scope", "safe_name", "scope_of"]

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_SHOWN = 60


def safe_name(kind: str, name: str) -> str:
    """Return the name of a rule, profile or area. Refuse one that could be no file, or another file than it says."""
    if not re.fullmatch(_NAME, name) or name.casefold() in {"readme", "readme.md"}:
        from memory_custodian.rules.scan import redact

        shown = "".join(character if character.isprintable() else "?" for character in redact(name)[:_SHOWN])
        raise Refused(
            f"Invalid {kind} name: {shown}; accepted: letters, digits, '.', '_' and '-', a letter or digit first, "
            "and not README"
        )
    return name


def scope_of(area: str | None) -> str:
    """Return the Scope of an entry of an area, or of the project."""
    return f"area:{area}" if area else "project"


def area_of(scope: str) -> str | None:
    """Return the area that a Scope names; None for the project and for what is no Scope."""
    kind, colon, name = scope.partition(":")
    return name if colon and kind == "area" and re.fullmatch(_NAME, name) else None


def is_scope(text: str) -> bool:
    """Whether it is project or area:<slug>."""
    return text == "project" or area_of(text) is not None
