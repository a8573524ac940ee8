"""Loads the plugins of the suite: skips are red in CI, requirements are counted in the summary, signals end tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

pytest_plugins = ["csbond_tests.skips", "csbond_tests.requirement_summary", "csbond_tests.default_signals"]

# How long a value takes to be made says more about the machine than about the code: a busy one must not turn tests red.
settings.register_profile("csbond", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("csbond")
