"""`make` lists itself and says plainly what it cannot do."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from csbond_tests.repository import REPOSITORY

TARGETS = [
    "help",
    "setup",
    "demo",
    "serve",
    "test",
    "check",
    "bench",
    "bench-memory",
    "drill",
    "drill-mutants",
    "clean",
]


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("target", TARGETS)
def test_make_alone_lists_what_can_be_made(target: str) -> None:
    assert re.search(rf"^  make {target} +\S", make().stdout, flags=re.MULTILINE)


def test_an_old_python_is_refused_with_one_line(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    done = make(f"PYTHON={old}", f"VENV={tmp_path / 'venv'}", "setup")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith("csbond needs Python 3.11 or newer")
    assert not (tmp_path / "venv").exists()
    assert done.stdout == ""


@pytest.mark.parametrize("words", ["make setup", "make check", "make test", "CSB_CI=1"])
def test_ci_runs_what_a_person_runs(words: str) -> None:
    script = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    assert words.replace("make ", "$make ") in script
    assert script.splitlines()[0] == "#!/usr/bin/env bash"
