"""A memory set of 500 entries over 25 areas and an archive, in the form the command itself writes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memory_custodian.rules.entry import Draft, EntryType, Evidence
from memory_custodian.rules.entry_text import render
from memory_custodian.rules.subject import SubjectDraft
from memory_custodian.rules.subject_text import render_subject

__all__ = ["AREAS", "ENTRIES", "SUBJECT", "MemorySet", "fill"]

AREAS = 25
_IN_AN_AREA = 10
_SHARES = {"decisions.md": 6, "constraints.md": 5, "do-not-use.md": 4, "preferences.md": 5, "inbox.md": 20}
"""So many that every file stays within its budget."""
_ARCHIVED = 210
ENTRIES = AREAS * _IN_AN_AREA + sum(_SHARES.values()) + _ARCHIVED
SUBJECT = "MC-SUBJ-20260302-00000011"
"""A Subject that entries of areas name with each of the facets, and no entry of the whole project does."""

_EVIDENCE = (Evidence("doc", "docs/notes.md"),)
_AREA_TYPES: tuple[EntryType, ...] = ("decision", "constraint", "do-not-use", "preference")
_FACETS = ("behavior", "interface", "workflow", "architecture", "security")
_TYPES: dict[str, EntryType] = {
    "decisions.md": "decision",
    "constraints.md": "constraint",
    "do-not-use.md": "do-not-use",
    "preferences.md": "preference",
    "inbox.md": "inbox",
}


class MemorySet(NamedTuple):
    """Where it lies, and how many entries and files it has."""

    root: Path
    entries: int
    files: int


def fill(root: Path) -> MemorySet:
    """Add the entries to a project that `memory-custodian init --extended` made."""
    memory = root / "docs" / "memory"
    numbers = iter(range(1, ENTRIES + 1))
    counted: Counter[str] = Counter()
    for file, share in _SHARES.items():
        _extend(memory / file, [_entry(_TYPES[file], "", next(numbers)) for _ in range(share)])
        counted[file] = share
    names = [f"area-{number:02d}" for number in range(AREAS)]
    for name in names:
        kinds = [_AREA_TYPES[number % len(_AREA_TYPES)] for number in range(_IN_AN_AREA)]
        _new(memory / "areas" / f"{name}.md", f"# Area: {name}", [_entry(kind, name, next(numbers)) for kind in kinds])
        counted["areas"] += _IN_AN_AREA
    archived = [_entry("decision", "", next(numbers)) for _ in range(_ARCHIVED)]
    for part in range(4):
        _new(memory / "archive" / f"decisions-2025-0{part + 1}-01.md", "# Archive", archived[part::4])
    counted["archive"] = len(archived)
    _extend(memory / "subjects.md", list(_subjects()))
    _index(memory / "manifest.md", names)
    return MemorySet(root, counted.total(), sum(1 for _ in memory.rglob("*.md")))


def _entry(kind: EntryType, area: str, number: int) -> str:
    """One entry of about the size that people write, owner of a Subject and facet of its own."""
    code = {"decision": "AREA" if area else "DEC", "constraint": "CON", "do-not-use": "DNU", "preference": "PREF"}
    owns = kind not in {"preference", "inbox"}
    return render(
        Draft(
            id=f"MC-{code.get(kind, 'INBOX')}-20260302-{_digits(number)}",
            type=kind,
            status="candidate" if kind == "inbox" else "active",
            message=f"Map sheet {number} keeps its scale when notes of walk {number * 7} are added to it.",
            scope=f"area:{area}" if area else "project",
            evidence=_EVIDENCE,
            subject=f"MC-SUBJ-20260302-{number // len(_FACETS) + 1:08x}" if owns else "",
            facet=_FACETS[number % len(_FACETS)] if owns else "",
            reason="Walkers measure on paper." if kind == "decision" else "",
            candidate_type="note" if kind == "inbox" else "",
        )
    )


def _subjects() -> Iterator[str]:
    for number in range(ENTRIES // len(_FACETS) + 2):
        title = f"Map theme {number}"
        yield render_subject(
            SubjectDraft(
                f"MC-SUBJ-20260302-{number:08x}", title, "concept", "", (title,), (Evidence("user-confirmed"),)
            )
        )


def _digits(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:8]


def _extend(path: Path, entries: list[str]) -> None:
    path.write_text("\n".join([path.read_text("utf-8"), *entries]), "utf-8")


def _new(path: Path, title: str, entries: list[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([f"{title}\n", *entries]), "utf-8")


def _index(path: Path, areas: list[str]) -> None:
    before, heading, after = path.read_text("utf-8").partition("### Enabled areas\n")
    lines = "".join(f"- `areas/{name}.md`: for work on {name}.\n" for name in areas)
    path.write_text(before + heading + lines + after.replace("- None enabled.\n", "", 1), "utf-8")
