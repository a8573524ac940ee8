"""The memory of this project and that of the example are sound, and rest on what is there (§12)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from csbond_tests.custodian_texts import CUSTODIAN
from csbond_tests.custodian_world import Done, Project, project
from csbond_tests.marks import requirement
from csbond_tests.repository import REPOSITORY

EXAMPLE = CUSTODIAN / "examples" / "lanternfish"
MEMORY = REPOSITORY / "docs" / "memory"


def copied(source: Path, folder: Path) -> Project:
    """A copy of a memory in a project of its own; its Evidence lies elsewhere."""
    world = project(folder, protocol="none")
    shutil.copytree(source, world.memory)
    return world


def sound(done: Done) -> None:
    errors = [issue for issue in done.data["issues"] if issue["severity"] == "ERROR"]
    assert (errors, done.data["ok"], done.code) == ([], True, 0)


@requirement("CUST-12-04")
def test_the_memory_of_this_project_passes_check(tmp_path: Path) -> None:
    world = copied(MEMORY, tmp_path)
    sound(world.run("check", "--format", "json"))
    assert world.done("check").startswith("MemoryCustodian check: OK\n")


@requirement("CUST-12-04")
def test_every_entry_of_this_project_has_evidence_a_subject_and_a_facet(tmp_path: Path) -> None:
    coverage = copied(MEMORY, tmp_path).run("check", "--format", "json").data["coverage"]
    assert coverage["evidence"]["covered"] == coverage["evidence"]["total"] > 10
    assert coverage["subject_facet"]["covered"] == coverage["subject_facet"]["total"] > 10
    assert coverage["legacy_unverified"] == 0


def test_a_memory_of_the_same_form_with_a_fault_would_not_pass(tmp_path: Path) -> None:
    world = copied(MEMORY, tmp_path)
    world.write("decisions.md", world.text("decisions.md").replace("Status: active", "Status: open", 1))
    assert world.run("check").code == 1


@requirement("CUST-12-04")
def test_the_memory_of_this_project_rests_on_files_that_are_there() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(MEMORY.rglob("*.md")))
    evidence = re.findall(r"^Evidence:\n((?:- .+\n)+)", text, re.MULTILINE)
    cited = [line.removeprefix("- ") for lines in evidence for line in lines.splitlines()]
    assert cited
    for one in cited:
        kind, _, path = one.partition(":")
        assert kind in {"repo", "doc", "test"}, one
        assert (REPOSITORY / path).exists(), one


@requirement("CUST-12-03")
def test_the_memory_of_the_example_passes_check(tmp_path: Path) -> None:
    sound(copied(EXAMPLE / "docs" / "memory", tmp_path).run("check", "--format", "json"))


@requirement("CUST-12-03")
def test_the_example_shows_each_state_of_an_entry(tmp_path: Path) -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in (EXAMPLE / "docs" / "memory").rglob("*.md"))
    assert set(re.findall(r"^Status: (\w+)$", text, re.MULTILINE)) == {"active", "superseded", "candidate"}


def test_the_program_of_the_example_works() -> None:
    command = [sys.executable, "-B", "-m", "unittest", "-q", "tests/test_lanternfish.py"]
    run = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, "Ran 2 tests" in run.stderr) == (0, True), run.stderr
