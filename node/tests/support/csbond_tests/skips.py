"""In CI a skipped test is a failed test: what a machine lacks must not pass for what works.

With `CSB_CI=1` every skip becomes a failure, except one whose reason starts with `absent interpreter`. Without it a
skip stays a skip, with its reason in the summary.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

__all__ = ["ALLOWED_REASON"]

ALLOWED_REASON = "absent interpreter"

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _without_skip(report: Report) -> Report:
    """Return the report, as a failure where CI forbids its skip."""
    if os.environ.get("CSB_CI") != "1" or report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return report
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if reason.startswith(ALLOWED_REASON):
        return report
    report.outcome = "failed"
    report.longrepr = f"skipped, and CI allows no skip: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the skip of a test into a failure."""
    return _without_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole module into a failure."""
    return _without_skip((yield))
