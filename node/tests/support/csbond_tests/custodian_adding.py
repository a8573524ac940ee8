"""What tests of `add` and `promote` work on: a project with a file to name as evidence, and a Subject to write about.

A test module takes the fixtures by assignment, as `world, about = custodian_adding.world, custodian_adding.about`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from memory_custodian.rules.entry import Entry
from memory_custodian.rules.entry_text import parse_entries

__all__ = ["CONFIRMED", "about", "entries", "refused", "subject_options", "world"]

CONFIRMED = ("--evidence", "user-confirmed")


def subject_options(world: Project) -> tuple[str, ...]:
    """Make a Subject, and return the options that name it, but for the facet."""
    made = world.confirmed("subject", "add", "Map printing", "--kind", "concept", *CONFIRMED)
    found = re.search(r"MC-SUBJ-[0-9]{8}-[0-9a-f]{8}", made.out)
    assert found, made
    return ("--subject", found[0], "--facet")


def entries(world: Project, file: str) -> tuple[Entry, ...]:
    """The entries of a memory file."""
    return parse_entries(file, world.text(file))


def refused(world: Project, *arguments: str) -> str:
    """What is said of an `add` that is refused; it leaves every file as it was."""
    before = world.files()
    done = world.run("add", *arguments)
    assert (done.code, done.out) == (2, ""), done
    assert world.files() == before
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1 or "cannot create active memory" in done.err
    return done.err


@pytest.fixture
def world(tmp_path: Path) -> Project:
    """A project of protocol 0.6 with the file maps.txt."""
    made = project(tmp_path)
    (made.root / "maps.txt").write_text("x", encoding="utf-8")
    return made


@pytest.fixture
def about(world: Project) -> tuple[str, ...]:
    """The options that name a Subject of that project, but for the facet."""
    return subject_options(world)
