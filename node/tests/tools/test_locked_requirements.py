"""What is installed is pinned and hashed, names no place it came from, and fits the ranges of the distributions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from csbond_tests.repository import REPOSITORY

LOCKS = sorted((REPOSITORY / "requirements").glob("*.txt"))
PROJECT = tomllib.loads((REPOSITORY / "node" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ("3.11", "3.12", "3.13")
REGISTRY = re.compile(rb"pypi" rb"\.org|python" rb"hosted\.|npm" rb"js\.(org|com)|crates" rb"\.io|rubygems" rb"\.org")
"""Hosts that packages are taken from, said in halves: this file names none either."""


def locked(path: Path) -> list[str]:
    """Return one logical line for each pinned release, its hashes included."""
    text = re.sub(r"^\s*#.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def pins(name: str, python: str) -> dict[str, str]:
    """Return the release of each package that a Linux machine with this Python installs."""
    environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    found: dict[str, str] = {}
    for line in locked(REPOSITORY / "requirements" / name):
        requirement = Requirement(line.partition(" --hash")[0].strip())
        if requirement.marker is None or requirement.marker.evaluate(
            {key: str(value) for key, value in environment.items()}
        ):
            assert requirement.name not in found, f"{requirement.name} is pinned twice for Python {python}"
            found[canonicalize_name(requirement.name)] = str(requirement.specifier).removeprefix("==")
    return found


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_release_is_pinned_and_hashed(path: Path) -> None:
    lines = locked(path)
    assert lines
    assert [line for line in lines if not re.match(r"\S+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_no_file_says_where_a_release_came_from(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert (
        re.findall(r"://|--index|--extra-index|--find-links|--trusted-host|@ |^/|\s/\w", text, flags=re.MULTILINE) == []
    )


def test_no_file_of_the_project_names_a_place_that_packages_are_taken_from() -> None:
    here = [path for path in REPOSITORY.iterdir() if not path.name.startswith(".") or path.name == ".ci"]
    files = [path for top in here for path in ([top] if top.is_file() else top.rglob("*")) if path.is_file()]
    kept = [path for path in files if not {"__pycache__", "node_modules"} & set(path.parts) and path.suffix != ".pyc"]
    assert len(kept) > 500
    assert [str(path.relative_to(REPOSITORY)) for path in kept if REGISTRY.search(path.read_bytes())] == []


@pytest.mark.parametrize("python", PYTHONS)
def test_the_pinned_releases_fit_the_ranges_of_the_node(python: str) -> None:
    pinned = pins("engines.txt", python) | pins("runtime.txt", python)
    extras = [each for extra in PROJECT["optional-dependencies"].values() for each in extra]
    for wanted in map(Requirement, PROJECT["dependencies"] + extras):
        assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)]), wanted


@pytest.mark.parametrize("python", PYTHONS)
def test_engines_run_beside_what_a_node_runs_with(python: str) -> None:
    runtime, engines = pins("runtime.txt", python), pins("engines.txt", python)
    assert {name: runtime[name] for name in runtime.keys() & engines.keys()}.items() <= engines.items()


@pytest.mark.parametrize("python", PYTHONS)
def test_tests_run_with_what_a_node_runs_with(python: str) -> None:
    assert pins("runtime.txt", python).items() <= pins("dev.txt", python).items()
    assert pins("build.txt", python).items() <= pins("dev.txt", python).items()


def test_a_release_needed_by_an_older_python_is_locked_for_it_alone() -> None:
    assert "culsans" in pins("runtime.txt", "3.11")
    assert "culsans" not in pins("runtime.txt", "3.13")
