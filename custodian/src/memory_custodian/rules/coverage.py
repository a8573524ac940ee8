"""How much of the memory rests on evidence and names its Subject: figures, no verdict (§§4.4, 11.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.entry_check import owns_subject, valid_evidence
from memory_custodian.rules.memory_index import MemoryIndex
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.protocol import MODULE_FOLDERS
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.value import Value

__all__ = ["Coverage", "coverage_data", "coverage_lines", "coverage_of", "legacy_units"]

_FILES: Final = ("decisions.md", "constraints.md", "preferences.md", "do-not-use.md")
_WITH_SUBJECT: Final = ("decisions.md", "constraints.md", "do-not-use.md")


class Coverage(Value):
    """Covered and all, by what is asked for. Entries of older protocols count: that they lack it is the point."""

    evidence: tuple[int, int]
    """Active entries and legacy units, and those of them with confirmed evidence."""
    subject_facet: tuple[int, int]
    """The same for decisions, constraints, rejected approaches and areas, and those with Subject and Facet."""
    legacy_unverified: int
    """Active entries that rest on legacy-unverified alone."""


def coverage_of(snapshot: Snapshot, index: MemoryIndex) -> Coverage:
    """Return the figures for what tasks can load; the inbox and the archive are not counted."""
    active = [entry for entry in index.entries if entry.status == "active" and is_counted(entry.file)]
    legacy = [(file, len(units)) for file, units in legacy_units(snapshot)]
    confirmed = [entry for entry in active if any(one.confirmed for one in valid_evidence(entry.evidence))]
    old = [entry for entry in active if {one.kind for one in valid_evidence(entry.evidence)} == {"legacy-unverified"}]
    owning = [entry for entry in active if owns_subject(entry)]
    named = [entry for entry in owning if entry.field("Subject") and entry.field("Facet")]
    owning_legacy = sum(count for file, count in legacy if file in _WITH_SUBJECT or file.startswith("areas/"))
    return Coverage(
        evidence=(len(confirmed), len(active) + sum(count for _, count in legacy)),
        subject_facet=(len(named), len(owning) + owning_legacy),
        legacy_unverified=len(old),
    )


def legacy_units(snapshot: Snapshot) -> Iterator[tuple[str, list[Block]]]:
    """Yield the files of memory that have units without an ID, with those units."""
    for file, text in snapshot.texts.items():
        if is_counted(file):
            units = [block for block in parse(text) if block.removable and not block.entry_id]
            if units:
                yield file, units


def is_counted(file: str) -> bool:
    """Whether a file holds memory that tasks load entry by entry."""
    folder, _, name = file.partition("/")
    return file in _FILES or (folder in MODULE_FOLDERS and name not in {"", "README.md"})


def coverage_lines(coverage: Coverage) -> list[str]:
    """Return the figures as `check` prints them."""
    lines = [
        f"Evidence coverage: {_figure(coverage.evidence)}",
        f"Subject and Facet coverage: {_figure(coverage.subject_facet)}",
    ]
    old = coverage.legacy_unverified
    return [*lines, f"Resting on legacy-unverified alone: {old}"] if old else lines


def coverage_data(coverage: Coverage) -> dict[str, object]:
    """Return the figures for programs."""
    return {
        "evidence": _pair(coverage.evidence),
        "subject_facet": _pair(coverage.subject_facet),
        "legacy_unverified": coverage.legacy_unverified,
    }


def _figure(pair: tuple[int, int]) -> str:
    covered, total = pair
    share = f"{100 * covered // total}%" if total else "none"
    return f"{covered}/{total} entries ({share})"


def _pair(pair: tuple[int, int]) -> dict[str, int]:
    return {"covered": pair[0], "total": pair[1]}
