"""Which modules `read` loads: each costs an agent time at the start of every task (§3.1)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import memory_custodian
from csbond_tests.custodian_world import Project, project

LISTING = """\
import sys
sys.path.insert(0, sys.argv[1])
from memory_custodian.cli import main
code = main(sys.argv[2:])
sys.stdout.flush()
sys.stderr.write(repr((code, sorted(sys.modules))))
"""

HEAVY = {
    "asyncio",
    "dataclasses",
    "datetime",
    "hashlib",
    "inspect",
    "json",
    "logging",
    "pathlib",
    "random",
    "shlex",
    "socket",
    "subprocess",
    "tempfile",
    "threading",
    "urllib",
    "uuid",
}


def loaded(world: Project, *words: str) -> set[str]:
    """The modules of a fresh interpreter that ran the command, without those of any site-packages."""
    source = str(Path(memory_custodian.__file__).parents[1])
    command = [sys.executable, "-I", "-S", "-c", LISTING, source, *world.spelled(words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=world.environment)
    code, names = ast.literal_eval(done.stderr)
    assert code == 0
    return set(names)


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path, decisions="# Decisions\n\n## MC-DEC-20260302-0123abcd — Ship\n\nStatus: active\n")


def test_read_loads_no_writer_and_no_other_verb(world: Project) -> None:
    own = {name.removeprefix("memory_custodian.") for name in loaded(world, "read") if "memory_custodian." in name}
    assert {name for name in own if name.startswith("commands.")} == {
        "commands.arguments",
        "commands.outcome",
        "commands.read",
    }
    assert {name for name in own if name.startswith("files.")} <= {"files.place", "files.project", "files.memory_files"}
    written_by = {"plan_identity", "preview", "adding", "forgetting", "compaction", "migration", "initialising", "scan"}
    assert not {f"rules.{name}" for name in written_by} & own


def test_read_loads_nothing_that_is_slow_to_import(world: Project) -> None:
    assert not loaded(world, "read", "--task", "implementation", "--area", "sync") & HEAVY


def test_json_is_loaded_only_when_it_is_asked_for(world: Project) -> None:
    assert "json" in loaded(world, "read", "--format", "json")
