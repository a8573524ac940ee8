"""The places of the repository that tests look at."""

from __future__ import annotations

from pathlib import Path

__all__ = ["NODE_TESTS", "REPOSITORY", "REQUIREMENTS"]

REPOSITORY = Path(__file__).resolve().parents[4]
NODE_TESTS = REPOSITORY / "node" / "tests"
REQUIREMENTS = REPOSITORY / "spec" / "requirements"
