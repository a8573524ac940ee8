"""What a Subject is (§4.4): a stable ID under names that may change."""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.value import Value

__all__ = ["SUBJECT_KINDS", "SUBJECT_STATUSES", "Subject", "SubjectDraft"]

SUBJECT_KINDS: Final = ("dependency", "repo-path", "area", "api", "service", "feature", "concept")
SUBJECT_STATUSES: Final = ("active", "merged")
"""`merged` is written by hand, or by a later version, on a Subject that another one stands for."""


class Subject(Value):
    """A Subject as it stands in subjects.md."""

    id: str
    title: str
    line: int
    status: str
    kind: str
    canonical_ref: str
    """Normalised; empty where there is none."""
    aliases: tuple[str, ...]
    evidence: tuple[str, ...]

    @property
    def active(self) -> bool:
        """Whether entries may name it and its names are taken."""
        return self.status == "active"


class SubjectDraft(Value):
    """A Subject about to be written."""

    id: str
    title: str
    kind: str
    canonical_ref: str
    aliases: tuple[str, ...]
    evidence: tuple[Evidence, ...]
