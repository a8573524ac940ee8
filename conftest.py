"""Loads the two plugins of the suite: skips are red in CI, requirements are counted in the summary."""

from __future__ import annotations

pytest_plugins = ["csbond_tests.skips", "csbond_tests.requirement_summary"]
