"""The marker that ties a test to requirements; free of what Python 3.10 lacks, so that custodian/tests can use it.

As a pytest plugin (`-p csbond_tests.marks`) it registers the markers where the settings of the repository are not read.
"""

from __future__ import annotations

import pytest

__all__ = ["requirement"]


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers of the repository that tests of memory-custodian use."""
    config.addinivalue_line(
        "markers", "requirement(*ids): the test shows that these requirements of spec/requirements hold"
    )
    config.addinivalue_line("markers", "alone: measures time, memory or handles, so nothing else may run beside it")
    config.addinivalue_line("markers", "docs: checks a document against the code")


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test, or a class of tests, as showing these requirements; ids are written out as literals."""
    if not ids:
        raise ValueError("requirement() needs at least one id")
    return pytest.mark.requirement(*ids)
