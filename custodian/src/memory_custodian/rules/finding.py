"""What `check` and the scanners report."""

from __future__ import annotations

from typing import Literal

from memory_custodian.rules.entry import Entry
from memory_custodian.rules.value import Value

__all__ = ["Finding", "Issue", "Severity", "entry_issue"]

Severity = Literal["ERROR", "WARNING"]


class Finding(Value):
    """One place that looks like a secret or like something private; it never holds the value itself."""

    category: Literal["security", "privacy"]
    severity: Severity
    kind: str
    """As machine-path, github-token."""
    file: str
    line: int
    column: int
    preview: str
    """The line with every recognised span of both categories redacted, at most 120 characters."""


class Issue(Value):
    """One sentence of `check`; ERROR makes it fail."""

    severity: Severity
    code: str
    """Stable, for programs: as entry-duplicate-id, route-heading."""
    file: str
    message: str
    entry_id: str = ""
    line: int = 0


def entry_issue(entry: Entry, code: str, text: str, severity: Severity = "ERROR") -> Issue:
    """Return an issue of an entry, in one sentence with its place; values are not repeated, they may be anything."""
    return Issue(severity, code, entry.file, f"{entry.file}:{entry.line}: {entry.id} {text}", entry.id, entry.line)
