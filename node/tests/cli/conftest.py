"""Runs `csb` in this process, against a home whose node is played by a small HTTP server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from csbond.cli import main
from csbond.config.home import Home, create_home
from csbond.config.lock import hold_home
from csbond.config.system import SystemClock, SystemIdentifiers
from csbond_tests.played_node import Played, played


@dataclass(frozen=True)
class Ended:
    """How a run of `csb` ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.err)["error"]
        return found


@pytest.fixture
def csb(capsys, monkeypatch) -> Callable[..., Ended]:
    monkeypatch.delenv("CSB_HOME", raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object) -> Ended:
        status = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Ended(status, shown.out, shown.err)

    return run


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return create_home(tmp_path / "home", "Heng", "", "", SystemClock(), SystemIdentifiers())


@pytest.fixture
def server() -> Iterator[Played]:
    """A played agent at an address of its own; it is nobody's home."""
    with played() as plays:
        yield plays


@pytest.fixture
def node(home: Home, server: Played) -> Iterator[Played]:
    """The played node of the home, running."""
    with hold_home(home, SystemClock()) as held:
        held.announce(server.url)
        yield server
