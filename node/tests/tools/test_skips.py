"""In CI a skip is red; on anybody's machine it is a message."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from csbond_tests.repository import NODE_TESTS

IN_A_TEST = """
import pytest

def test_it():
    pytest.skip("REASON")
"""
BY_A_MARK = """
import pytest

@pytest.mark.skipif(True, reason="REASON")
def test_it(): ...
"""
OF_A_MODULE = """
import pytest

pytest.skip("REASON", allow_module_level=True)
"""
OF_AN_IMPORT = """
import pytest

pytest.importorskip("no_such_module", reason="REASON")

def test_it(): ...
"""

WAYS = {"in_a_test": IN_A_TEST, "by_a_mark": BY_A_MARK, "of_a_module": OF_A_MODULE, "of_an_import": OF_AN_IMPORT}


def run(folder: Path, reason: str, ci: str) -> tuple[int, list[str]]:
    """Return the exit code and the outcome lines of a run over one skip of each way."""
    for way, source in WAYS.items():
        (folder / f"test_{way}.py").write_text(source.replace("REASON", reason), encoding="utf-8")
    environment = os.environ | {"CSB_CI": ci, "PYTHONPATH": str(NODE_TESTS / "support")}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", str(folder), "-p", "no:cacheprovider"]
    command += ["-p", "csbond_tests.skips", "-ra", "--continue-on-collection-errors", str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout.splitlines()


def test_in_ci_every_way_to_skip_is_a_failure_that_keeps_its_reason(tmp_path: Path) -> None:
    code, lines = run(tmp_path, "no JavaScript here", ci="1")
    assert code == 1
    assert lines.count("skipped, and CI allows no skip: no JavaScript here") == len(WAYS)
    assert "1 failed, 3 errors" in lines[-1]


def test_elsewhere_a_skip_stays_a_skip(tmp_path: Path) -> None:
    code, lines = run(tmp_path, "no JavaScript here", ci="")
    assert code == 0
    assert "4 skipped" in lines[-1]


def test_in_ci_an_absent_interpreter_may_be_skipped(tmp_path: Path) -> None:
    code, lines = run(tmp_path, "absent interpreter: Python 3.13", ci="1")
    assert code == 0
    assert "4 skipped" in lines[-1]
