"""What the record of another agent says of its own standing: kept as it was said, and not taken for granted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.protocol.memory.entry import Level, Visibility
from csbond.protocol.memory.entry_json import EntryDraft
from csbond.protocol.memory.foreign_record import SOURCE

INTEROP = "interop"
"""Under which name an entry keeps what its document said beside its fields, and whose it was."""
IMPORTED = "imported"
"""Under which name an entry keeps what a record of any other format said beside its fields."""
DECLARED = "csb"
"""The part of those with what was not taken; no field of a document is kept by this name."""
STANDING = ("source", "level", "visibility")
"""Fields by which a memory weighs more, and is heard by more."""


def modest(memory: Mapping[str, Any], draft: EntryDraft) -> dict[str, Any]:
    """The fields of another agent's record as they are taken here; `draft` is what it asked for.

    Its source is a migration; it begins warm at most, and no stranger hears of it. What it said of an earlier home
    stays what it said.
    """
    asked = {"source": draft.source, "level": draft.level.value, "visibility": draft.visibility.value}
    taken = {
        "source": SOURCE,
        "level": Level.WARM.value if draft.level is Level.HOT else draft.level.value,
        "visibility": (Visibility.TRUSTED if draft.visibility is Visibility.PUBLIC else draft.visibility).value,
    }
    declared = {name: value for name, value in asked.items() if value != taken[name] and name in memory}
    name = INTEROP if INTEROP in memory else IMPORTED
    block = memory.get(name)
    kept = dict(block) if isinstance(block, Mapping) else {}
    declared |= standing(kept.get(DECLARED))
    return {**memory, **taken, **({name: kept | {DECLARED: declared}} if declared else {})}


def standing(value: object) -> dict[str, str]:
    """What a record said that was not taken, as an entry or a document keeps it."""
    told = value if isinstance(value, Mapping) else {}
    return {name: told[name] for name in STANDING if isinstance(told.get(name), str)}
