"""Fixtures of tests that work on a project in this process: `world`, and the `place` that its files are called by.

A test module takes them by assignment, as `world, place = custodian_fixtures.world, custodian_fixtures.place`: the
package is also tested without any conftest.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state
from memory_custodian.files.project import find_place

__all__ = ["entered", "journals", "place", "world"]


def entered(made: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Let this process have the private state of a project's user until the test ends."""
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project of protocol 0.6, entered."""
    return entered(project(tmp_path), monkeypatch)


@pytest.fixture
def place(world: Project) -> Place:
    """Where that project lies."""
    return find_place(str(world.root), "docs/memory")


def journals(place: Place) -> list[str]:
    """The names of what lies among the journals."""
    return sorted(os.listdir(private_state(place).journals))
