"""A rule is taken out of a copy of the source, and the tests tied to its requirement are run against it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from csbond_tests.drills.neutral import neutralised
from csbond_tests.repository import NODE_TESTS, REPOSITORY, REQUIREMENTS
from csbond_tests.requirements import Requirement, load_manifest, uses_in

__all__ = ["Outcome", "drawn", "killed_by", "mutants_of", "tied", "tried", "untouched"]

SOURCE = REPOSITORY / "node" / "src"
TEST_S = 60
"""Seconds one test may take against a mutant; one that then hangs has noticed."""
_FAILED = 1
"""How pytest ends when tests ran and some failed; anything else shows nothing."""


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant."""

    requirement: Requirement
    killed: bool
    detail: str


@cache
def tied() -> dict[str, list[str]]:
    """The tests of each requirement, as pytest is asked for them."""
    tests: dict[str, list[str]] = {}
    for use in uses_in([NODE_TESTS]):
        tests.setdefault(use.id, []).append(f"{use.file}::{use.test}" if use.test else use.file)
    return {id_: sorted(set(names)) for id_, names in tests.items()}


def drawn(count: int, seed: int) -> list[Requirement]:
    """Some requirements that name a rule and carry tests; the same ones for the same seed."""
    tests = tied()
    able = [each for id_, each in sorted(load_manifest(REQUIREMENTS).items()) if each.rule and id_ in tests]
    return Random(seed).sample(able, min(count, len(able)))


def mutants_of(rule: str) -> tuple[Path, list[str]]:
    """The file of a rule, below the source folder, and the sources to put there; LookupError where there is none."""
    module, _, name = rule.partition(":")
    for path in (Path(*module.split(".")).with_suffix(".py"), Path(*module.split("."), "__init__.py")):
        if (SOURCE / path).exists():
            return path, neutralised((SOURCE / path).read_text(encoding="utf-8"), name)
    raise LookupError(f"there is no module {module}")


def untouched(requirements: Sequence[Requirement]) -> str:
    """What pytest says when the tests of all these requirements do not pass as things are; empty when they do."""
    tests = tied()
    with _copy() as folder:
        run = _run(folder, sorted({name for each in requirements for name in tests[each.id]}))
    return "" if run.returncode == 0 else run.stdout[-4000:]


def tried(requirement: Requirement) -> Iterator[Outcome]:
    """Each mutant of the rule of a requirement."""
    path, sources = mutants_of(requirement.rule)
    tests = tied()[requirement.id]
    with _copy() as folder:
        for number, source in enumerate(sources, 1):
            (folder / path).write_text(source, encoding="utf-8")
            run = _run(folder, tests)
            yield Outcome(requirement, run.returncode == _FAILED, f"mutant {number}: {killed_by(run.stdout)}")


def killed_by(said: str) -> str:
    """The first test that failed, or the last line of what pytest said."""
    lines = [line for line in said.splitlines() if line.strip()]
    failed = [line for line in lines if line.startswith("FAILED")]
    return (failed or lines[-1:] or ["pytest said nothing"])[0]


@contextmanager
def _copy() -> Iterator[Path]:
    with TemporaryDirectory(prefix="csbond-mutant-") as place:
        folder = Path(place) / "src"
        shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        yield folder


def _run(folder: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """pytest on some tests, with the copy before the installed source on the path."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "--timeout", str(TEST_S), "--no-header"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *options, *tests]
    return subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
