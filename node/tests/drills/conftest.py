"""Figures of drills are shown at the end of the run: they say how hard it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from csbond_tests.drills.form import FULL


@pytest.fixture
def record_figures(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keeps a text that is shown under the name of the test."""

    def record(text: str) -> None:
        request.node.user_properties.append(("figures", text))

    return record


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the figures of all drills that passed, in their full form."""
    if not FULL:
        return
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == "figures":
                terminalreporter.write_line(f"{report.nodeid.rpartition('::')[2]}:\n{text}")
