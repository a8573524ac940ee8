"""The memory of this project, as its own check sees it where it lies (§16)."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memory_custodian
from csbond_tests.marks import requirement
from csbond_tests.repository import REPOSITORY
from memory_custodian.rules.evidence import parse_evidence
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.snapshot import Snapshot

MEMORY = REPOSITORY / "docs" / "memory"


def snapshot() -> Snapshot:
    texts = {path.relative_to(MEMORY).as_posix(): path.read_text(encoding="utf-8") for path in MEMORY.rglob("*.md")}
    return Snapshot("docs/memory", dict(sorted(texts.items())))


def step_of_make_check(name: str) -> str:
    """The line of `make check` that says this name first, as make gives it to a shell, its folders as variables."""
    recipe = (REPOSITORY / "Makefile").read_text(encoding="utf-8").partition("\ncheck: ")[2].partition("\n\n")[0]
    (line,) = re.findall(rf'^\t@(echo "{name}";.*)$', recipe, re.MULTILINE)
    return str(line).replace("$(BIN)", "$BIN").replace("$(VENV)", "$VENV").replace("$$", "$")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with this command in it, as an environment of the repository has it."""
    script = tmp_path / "tools" / "memory-custodian"
    script.parent.mkdir()
    source = shlex.quote(str(Path(memory_custodian.__file__).parent.parent))
    script.write_text(f'#!/bin/sh\nPYTHONPATH={source} exec {shlex.quote(sys.executable)} -m memory_custodian "$@"\n')
    script.chmod(0o755)
    return script.parent


def run_step(step: str, tools: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    places = {"BIN": str(tools), "VENV": str(tools)}
    words, env = ["sh", "-c", step], {**os.environ, **places}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60)


@requirement("CUST-16-04")
def test_the_step_of_make_check_passes_for_its_own_memory(tools: Path) -> None:
    done = run_step(step_of_make_check("memory"), tools, REPOSITORY)
    assert (done.returncode, done.stdout, done.stderr) == (0, "memory\n", "")
    assert (tools / "memory.txt").read_text(encoding="utf-8").startswith("MemoryCustodian check: OK\n")


@requirement("CUST-16-04")
def test_that_step_fails_and_shows_why_where_an_entry_of_it_is_broken(tools: Path, tmp_path: Path) -> None:
    shutil.copytree(MEMORY, tmp_path / "docs" / "memory")
    decisions = tmp_path / "docs" / "memory" / "decisions.md"
    decisions.write_text(decisions.read_text("utf-8").replace("Status: active", "Status: open", 1), "utf-8")
    done = run_step(step_of_make_check("memory"), tools, tmp_path)
    assert done.returncode == 1
    assert "decisions.md" in done.stdout


@requirement("CUST-16-04")
def test_ci_ends_at_the_first_check_or_test_that_fails() -> None:
    ci = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    stages = re.findall(r'^ *stage "([^"]+)" (.+)$', ci, re.MULTILINE)
    assert ("check", "$make check") in stages
    assert ("tests", '$make test TESTS="$tests"') in stages
    stage = ci[ci.index("stage() {") :].partition("\n}\n")[0] + "\n}\n"
    done = subprocess.run(
        ["bash", "-c", f"{stage}stage one false\necho two"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "two" not in done.stdout


@requirement("CUST-P-10")
def test_its_entries_and_subjects_rest_on_files_of_the_repository_only() -> None:
    index = index_of(snapshot())
    cited = [text for entry in index.entries for text in entry.evidence]
    cited += [text for subject in index.subjects for text in subject.evidence]
    assert len(index.entries) > 5
    assert {parse_evidence(text).kind for text in cited} <= {"repo", "doc", "test"}
    assert all((REPOSITORY / parse_evidence(text).target).exists() for text in cited)
