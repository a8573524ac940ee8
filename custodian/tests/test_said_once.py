"""What is said in one place of the source: names of files and folders, and what a function does."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from memory_custodian.rules.protocol import AGENT_FILES, CHANGELOG, CORE_FILES, MODULE_FOLDERS

SOURCE = Path(__file__).parents[1] / "src/memory_custodian"
FILES = {*CORE_FILES, CHANGELOG}


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Every module, by its path in the package."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def constants(tree: ast.Module) -> Iterator[ast.expr]:
    """What is assigned to a name of the module."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            yield node.value


def is_declared_again(value: ast.expr) -> bool:
    """Whether a value is the name of a core file, or the list of module folders or agent files."""
    if isinstance(value, ast.Constant):
        return value.value in FILES
    if not isinstance(value, ast.Tuple | ast.List | ast.Set):
        return False
    words = {
        one.value.rstrip("/") for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }
    return words in ({*MODULE_FOLDERS}, {*AGENT_FILES.values()})


def test_files_and_folders_of_a_memory_get_their_names_in_one_module() -> None:
    assert [file for file, tree in trees() for value in constants(tree) if is_declared_again(value)] == [
        "rules/protocol.py"
    ] * 6


def test_no_two_functions_do_the_same() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for file, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                done = "".join(ast.dump(one) for one in body)
                if len(done) > 200:
                    places[ast.dump(node.args) + done].append(f"{file}: {node.name}")
    assert [found for found in places.values() if len(found) > 1] == []
