"""`tools/check_sizes.py` finds what it forbids."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from csbond_tests.repository import REPOSITORY


def breaches(root: Path) -> tuple[int, list[str]]:
    command = [sys.executable, str(REPOSITORY / "tools" / "check_sizes.py"), "--root", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def function_of(lines: int) -> str:
    return "def story():\n" + "    step()\n" * (lines - 1)


def test_files_and_functions_at_the_limit_pass(tmp_path: Path) -> None:
    write(tmp_path, "node/src/csbond/entry.py", function_of(60) + "x = 1\n" * 340)
    write(tmp_path, "node/tests/test_entry.py", function_of(61))
    assert breaches(tmp_path) == (0, [])


def test_a_function_of_61_lines_is_listed_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, "node/src/csbond/entry.py", "\nasync " + function_of(61))
    code, lines = breaches(tmp_path)
    assert code == 1
    assert lines == ["node/src/csbond/entry.py:2: story has 61 lines; at most 60"]


@pytest.mark.parametrize(
    "folder", ["node/src/csbond", "node/tests", "custodian/src", "custodian/tests", "tools", "bench"]
)
def test_a_file_of_401_lines_is_listed_wherever_it_is(tmp_path: Path, folder: str) -> None:
    write(tmp_path, f"{folder}/long.py", "x = 1\n" * 401)
    assert breaches(tmp_path) == (1, [f"{folder}/long.py: 401 lines; a file has at most 400"])


@pytest.mark.parametrize("name", ["task_manager", "utils", "card_helper", "base", "card_v2", "legacy", "shared/card"])
def test_a_name_that_says_nothing_is_listed(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"node/src/csbond/{name}.py", "")
    code, lines = breaches(tmp_path)
    assert code == 1
    assert len(lines) == 1


@pytest.mark.parametrize("name", ["database", "v1_0", "dialects/v0_3", "baseline", "commons"])
def test_words_are_matched_whole_and_protocol_versions_are_names(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"node/src/csbond/{name}.py", "")
    assert breaches(tmp_path) == (0, [])


def test_this_repository_keeps_the_limits() -> None:
    assert breaches(REPOSITORY) == (0, [])
