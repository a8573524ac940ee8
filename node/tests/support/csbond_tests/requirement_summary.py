"""Prints how many requirements the manifest holds, and its gaps by reason, at the end of a run."""

from __future__ import annotations

from collections import Counter

import pytest

from csbond_tests.repository import REQUIREMENTS
from csbond_tests.requirements import Manifest, ManifestError, load_manifest

__all__ = ["summary_of"]


def summary_of(manifest: Manifest) -> str:
    """Return one line: requirements, gaps, and the gaps by reason."""
    gaps = Counter(each.gap.reason for each in manifest.values() if each.gap)
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(gaps.items()))
    return f"requirements: {len(manifest)}, gaps: {gaps.total()}" + (f" ({reasons})" if reasons else "")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the line of `summary_of`; a broken manifest is the business of its own test."""
    try:
        terminalreporter.write_line(summary_of(load_manifest(REQUIREMENTS)))
    except (ManifestError, ValueError) as problem:
        terminalreporter.write_line(f"requirements: the manifest cannot be read: {problem}")
