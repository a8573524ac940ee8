"""Every setting of every built-in kind of skill, for the documents. Made from the source, so only imported for them."""

from __future__ import annotations

from csbond.skills.load import BUILT_IN
from csbond.skills.settings import documented

SKILL_SETTINGS_DOC: tuple[tuple[str, str, object, str], ...] = tuple(
    (name, *row) for name, kind in BUILT_IN.items() for row in documented(kind.settings)
)
"""(kind, key, default, sentence)."""
