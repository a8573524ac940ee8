"""A home to look at, made at a fixed time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from csbond.config.home import Home, create_home
from csbond.config.system import SystemIdentifiers

MADE_AT = 1_700_000_000_000


class StoppedClock:
    def now(self) -> int:
        return MADE_AT


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def make_home(tmp_path: Path, clock: StoppedClock) -> Callable[..., Home]:
    def make(path: Path | None = None, name: str = "Heng", emoji: str = "", domain: str = "") -> Home:
        return create_home(path or tmp_path / "home", name, emoji, domain, clock, SystemIdentifiers())

    return make


@pytest.fixture
def home(make_home: Callable[..., Home]) -> Home:
    return make_home()
