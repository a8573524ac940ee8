"""What `check` prints: verdict, coverage, what the scans found, warnings; as lines and as data (§§10, 11.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from memory_custodian.rules.coverage import Coverage, coverage_data, coverage_lines
from memory_custodian.rules.finding import Finding, Issue
from memory_custodian.rules.suggestion import places_command
from memory_custodian.rules.value import Value

__all__ = ["Report", "report_data", "report_lines"]

_CATEGORIES = ("security", "privacy")


class Report(Value):
    """The answer of one check."""

    issues: tuple[Issue, ...]
    coverage: Coverage
    findings: tuple[Finding, ...]
    placed: Collection[str]
    """The categories whose places were asked for."""
    options: tuple[str, ...] = ()
    """--project-root and --memory-dir as they were given."""

    @property
    def well(self) -> bool:
        """Whether nothing fails."""
        return all(issue.severity != "ERROR" for issue in self.issues)


def report_lines(report: Report) -> list[str]:
    """Return the lines; a finding shows its place, kind and redacted line only where that was asked for."""
    lines = [f"MemoryCustodian check: {'OK' if report.well else 'FAILED'}"]
    lines += [f"- {issue.message}" for issue in report.issues if issue.severity == "ERROR"]
    lines += coverage_lines(report.coverage)
    for category in _CATEGORIES:
        lines += _finding_lines(category, report)
    warnings = [f"- {issue.message}" for issue in report.issues if issue.severity == "WARNING"]
    return [*lines, "Warnings:", *warnings] if warnings else lines


def report_data(report: Report) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "ok": report.well,
        "issues": [issue._asdict() for issue in report.issues],
        "coverage": coverage_data(report.coverage),
        "finding_counts": {category: len(_of(category, report.findings)) for category in _CATEGORIES},
        "findings": [finding._asdict() for finding in report.findings if finding.category in report.placed],
    }


def _finding_lines(category: str, report: Report) -> list[str]:
    found = _of(category, report.findings)
    total = f"{category.capitalize()} findings: {len(found)}"
    if category not in report.placed:
        return [f"{total}; run {places_command(category, report.options)} for the places" if found else total]
    return [*(f"{one.file}:{one.line}: {one.kind}: {one.preview}" for one in found), total]


def _of(category: str, findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.category == category]
