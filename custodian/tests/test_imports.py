"""What the package may import, and what installing it brings."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

import memory_custodian
from csbond_tests.marks import requirement
from memory_custodian.cli import VERBS

SOURCE = Path(memory_custodian.__file__).parent
DISTRIBUTION = Path(__file__).parent.parent
FILES = sorted(SOURCE.rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."


def modules_of(path: Path) -> set[str]:
    return set(imported(ast.parse(path.read_text(encoding="utf-8"))))


@requirement("CUST-02-01", "CUST-16-02")
def test_only_the_standard_library_is_imported() -> None:
    known = sys.stdlib_module_names | {"memory_custodian"}
    foreign = {(path.name, name) for path in FILES for name in modules_of(path) if name.partition(".")[0] not in known}
    assert len(FILES) > 20
    assert not foreign


@requirement("CUST-02-04")
def test_no_database_and_nothing_that_reaches_a_model_is_imported_or_loaded() -> None:
    """Models and embeddings are reached over a network, by a program, or by a package that is not of the library."""
    databases = {"sqlite3", "_sqlite3", "dbm", "_dbm", "_gdbm", "shelve"}
    ways_to_a_model = {"asyncio", "ftplib", "http", "multiprocessing", "socket", "socketserver", "ssl", "subprocess"}
    forbidden = databases | ways_to_a_model | {"urllib", "xmlrpc"}
    named = {(path.name, name) for path in FILES for name in modules_of(path) if name.partition(".")[0] in forbidden}
    assert not named
    assert not (loaded_by_every_module() - loaded_by_nothing()) & forbidden


@requirement("CUST-02-01")
def test_the_standard_library_alone_is_loaded_by_every_module() -> None:
    """Also what is imported by a name made up at run time is seen, in a process of its own."""
    loaded = loaded_by_every_module()
    assert "memory_custodian" in loaded
    assert not {name for name in loaded - {"memory_custodian", "__main__"} if name not in sys.stdlib_module_names}


def loaded_by_every_module() -> set[str]:
    names = [
        f"memory_custodian.{path.parent.name}.{path.stem}"
        for path in FILES
        if path.stem != "__init__" and path.parent != SOURCE
    ]
    return loaded_by(f"for name in {names!r}: importlib.import_module(name)")


def loaded_by_nothing() -> set[str]:
    return loaded_by("pass")


def loaded_by(statement: str) -> set[str]:
    """The top names of what a process has loaded after a statement."""
    code = (
        "import importlib, json, sys\n"
        f"{statement}\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(json.loads(done.stdout))


@requirement("CUST-12-07", "CUST-P-12")
def test_imports_point_one_way_and_only_files_touches_the_disk() -> None:
    """The import contracts of the repository say the same; this holds wherever the distribution is tested."""
    layers = ["rules", "files", "commands"]
    hands = {"os", "io", "shutil", "pathlib", "tempfile", "fcntl", "msvcrt"}
    wrong = set()
    for path in FILES:
        layer = path.relative_to(SOURCE).parts[0]
        if layer not in layers:
            continue
        for name in modules_of(path):
            package, _, rest = name.partition(".")
            if package == "memory_custodian" and rest.split(".")[0] in layers[layers.index(layer) + 1 :]:
                wrong.add((path.name, name))
            if package in hands and layer != "files":
                wrong.add((path.name, name))
            if name in {"random", "secrets", "time", "uuid"} and layer == "rules":
                wrong.add((path.name, name))
        if layer != "files" and any(called == "open" for called in calls(path)):
            wrong.add((path.name, "open"))
    assert not wrong


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


@requirement("CUST-12-07")
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_a_module_of_its_own(verb: str) -> None:
    module = importlib.import_module(f"memory_custodian.commands.{verb}")
    assert callable(module.declare)
    assert callable(module.run)


@requirement("CUST-P-01", "CUST-16-02", "CUST-01-01", "CUST-16-05")
def test_installing_it_into_an_empty_environment_brings_nothing_else(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q"]
    subprocess.run([*build, "-w", str(wheels), str(DISTRIBUTION)], check=True, capture_output=True, timeout=120)
    (wheel,) = wheels.glob("*.whl")
    empty = tmp_path / "empty"
    venv.create(empty, with_pip=True)
    python = str(next(empty.glob("*/python")))
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    before = listed(pip)
    subprocess.run([*pip, "install", "--no-index", "-q", str(wheel)], check=True, capture_output=True, timeout=120)
    assert listed(pip) - before == {"memory-custodian"}
    command = str(next(empty.glob("*/memory-custodian")))
    said = subprocess.run([command, "--version"], check=True, capture_output=True, text=True, timeout=60)
    assert said.stdout == "memory-custodian 0.10.0\n"


def listed(pip: list[str]) -> set[str]:
    done = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True, text=True, timeout=60)
    return {found["name"] for found in json.loads(done.stdout)}
