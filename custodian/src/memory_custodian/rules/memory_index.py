"""Every entry and Subject of the memory set, read and indexed once a command (§4.4)."""

from __future__ import annotations

from collections.abc import Collection

from memory_custodian.rules.entry import Entry
from memory_custodian.rules.entry_ids import ids_in_headings
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.protocol import REGISTRY
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject import Subject
from memory_custodian.rules.subject_text import parse_subjects
from memory_custodian.rules.value import Value

__all__ = ["MemoryIndex", "index_of"]


class MemoryIndex(Value):
    """What the files of one moment hold, the archive included."""

    entries: tuple[Entry, ...]
    """In the order of files and lines; each says in which file it stands."""
    subjects: tuple[Subject, ...]
    ids: frozenset[str]
    """Every ID that a heading names, of entries and Subjects."""

    def entry(self, entry_id: str) -> Entry | None:
        """Return the first entry with an ID, given as it is written; None where there is none."""
        return next((entry for entry in self.entries if entry.id == entry_id), None)

    def subject(self, subject_id: str) -> Subject | None:
        """Return the first Subject with an ID, given as it is written; None where there is none."""
        return next((subject for subject in self.subjects if subject.id == subject_id), None)


def index_of(snapshot: Snapshot, about: Collection[str] | None = None) -> MemoryIndex:
    """Read every file of a snapshot once; with `about`, the entries of those files only that name one of these IDs,
    and the Subjects that have one.

    IDs in headings are found in every file either way.
    """
    entries: list[Entry] = []
    ids: set[str] = set()
    wanted = None if about is None else [entry_id.lower().encode() for entry_id in about]
    for file, text in snapshot.texts.items():
        found = set(ids_in_headings(text))
        ids |= found
        if file != REGISTRY and found and (wanted is None or _names(text, wanted)):
            entries += parse_entries(file, text)
    return MemoryIndex(tuple(entries), parse_subjects(snapshot.texts.get(REGISTRY, ""), about), frozenset(ids))


def _names(text: str, wanted: list[bytes]) -> bool:
    """IDs are ASCII, and bytes of that are compared without case several times faster than text."""
    small = text.encode().lower() if wanted else b""
    return any(entry_id in small for entry_id in wanted)
