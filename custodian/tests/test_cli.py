"""The command `memory-custodian`."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import memory_custodian
from memory_custodian.cli import main

SOURCE = Path(memory_custodian.__file__).parent


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"memory-custodian {memory_custodian.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], []])
def test_help_says_what_this_release_does_not_do(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "memory_custodian", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "This release answers --version and --help only" in done.stdout


def test_an_unknown_command_ends_with_2_and_one_usage_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["remember"])
    assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_only_the_standard_library_is_imported() -> None:
    foreign = {
        (path.name, name)
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(node)
        if name not in sys.stdlib_module_names | {"memory_custodian"}
    }
    assert not foreign


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [(node.module or ".").partition(".")[0]]
    return []
