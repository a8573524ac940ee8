"""Whether the links between entries lead somewhere, and back (§§5.3, 6.2)."""

from __future__ import annotations

from collections.abc import Iterator

from memory_custodian.rules.entry import Entry
from memory_custodian.rules.entry_ids import canonical_id
from memory_custodian.rules.finding import Issue, entry_issue
from memory_custodian.rules.memory_index import MemoryIndex
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import REMOVED

__all__ = ["link_issues"]

_NEEDED = {"superseded": "Superseded-By", "promoted": "Promoted-To"}
_FIELDS = ("Supersedes", "Superseded-By", "Promoted-To")


def link_issues(entry: Entry, index: MemoryIndex) -> Iterator[Issue]:
    """Yield what is wrong with the links of one entry. `removed` stands for an entry that forgetting took."""
    if entry.field("Superseded-By") and entry.field("Promoted-To"):
        yield entry_issue(entry, "entry-link", "cannot declare both Superseded-By and Promoted-To")
    for status, field in _NEEDED.items():
        if entry.status == status and not entry.field(field):
            yield entry_issue(entry, "entry-link", f"is {status} without {field}")
        elif entry.field(field) and entry.status and entry.status != status:
            yield entry_issue(entry, "entry-link", f"has {field} and is not {status}")
    for field in _FIELDS:
        value = entry.field(field)
        if value and value.casefold() != REMOVED:
            yield from _target_issues(entry, field, value, index)
    if _returns(entry, index):
        yield entry_issue(entry, "entry-link", "supersedes itself through other entries")


def _target_issues(entry: Entry, field: str, value: str, index: MemoryIndex) -> Iterator[Issue]:
    target = _target(value, index)
    if target is None:
        yield entry_issue(
            entry, "entry-link", f"references missing entry in {field}; accepted: the ID of an entry, or {REMOVED}"
        )
    elif target.id == entry.id:
        yield entry_issue(entry, "entry-link", f"references itself in {field}")
    elif field == "Supersedes" and _target(target.field("Superseded-By"), index) != entry:
        yield entry_issue(
            entry, "entry-link", f"has a non-reciprocal Supersedes: {target.id} does not name it in Superseded-By"
        )
    elif field == "Superseded-By" and _target(target.field("Supersedes"), index) != entry:
        yield entry_issue(
            entry, "entry-link", f"has a non-reciprocal Superseded-By: {target.id} does not name it in Supersedes"
        )


def _returns(entry: Entry, index: MemoryIndex) -> bool:
    """Whether a chain of successors leads back to the entry."""
    seen = {entry.id}
    at = _target(entry.field("Superseded-By"), index)
    while at is not None and at.id not in seen:
        seen.add(at.id)
        at = _target(at.field("Superseded-By"), index)
    return at is not None and at.id == entry.id and len(seen) > 1


def _target(value: str, index: MemoryIndex) -> Entry | None:
    try:
        return index.entry(canonical_id(value))
    except Refused:
        return None
