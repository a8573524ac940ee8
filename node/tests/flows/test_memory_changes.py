"""There is one way in: only one story makes what a change writes of memory."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import csbond
from csbond.flows import memory_changes
from csbond_tests.requirements import requirement

SOURCE = Path(csbond.__file__).parent
MODULE = "csbond.flows.memory_changes"
MAKES = "flows/write_memory.py"
TELLS_APART = {"flows/changes.py", "flows/signals.py"}
"""The union of all writes, and what a write wakes: they name the writes and make none."""
TREES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}
WRITES = {name for name, kind in vars(memory_changes).items() if getattr(kind, "__module__", "") == MODULE}


def imports(tree: ast.Module) -> bool:
    package, _, name = MODULE.rpartition(".")
    return any(
        (isinstance(node, ast.Import) and any(alias.name == MODULE for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == MODULE)
        or (isinstance(node, ast.ImportFrom) and node.module == package and any(n.name == name for n in node.names))
        for node in ast.walk(tree)
    )


STATEMENTS = SOURCE / "store" / "sqlite" / "statements"
CHANGES_MEMORY = re.compile(
    r"\s*(?:INSERT(?: OR \w+)? INTO|REPLACE INTO|UPDATE|DELETE FROM)\s+entry(?:_version|_tag|_link|_words)?\b"
)
APPLIES = {"store/writing/entry_writes.py", "store/writing/link_writes.py"}
"""What turns the writes of a change into statements."""


def memory_statements() -> set[str]:
    """The names of the statements that change rows of memory."""
    found = set()
    for path in STATEMENTS.glob("*.sql"):
        for block in path.read_text("utf-8").split("-- name: ")[1:]:
            name, _, rest = block.partition("\n")
            body = "\n".join(line for line in rest.splitlines() if not line.startswith("--"))
            if CHANGES_MEMORY.match(body):
                found.add(name.strip())
    return found


IMPORTERS = {name for name, tree in TREES.items() if imports(tree)}


def made_in(tree: ast.Module) -> set[str]:
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {part.id if isinstance(part, ast.Name) else getattr(part, "attr", "") for part in called}
    return names & WRITES


@requirement("MEM-003-3.1-one-way-in")
def test_of_the_stories_only_the_writing_one_imports_what_is_written_of_memory() -> None:
    assert {name for name in IMPORTERS if name.startswith("flows/")} == {MAKES} | TELLS_APART


@requirement("MEM-003-3.1-one-way-in")
def test_only_what_applies_a_change_runs_the_statements_that_change_memory() -> None:
    names = memory_statements()
    assert {"insert_entry", "update_entry", "add_link", "drop_link", "tag_entry", "keep_version"} <= names
    users = {
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in names
    }
    assert users == APPLIES


@requirement("MEM-003-3.1-one-way-in")
def test_no_module_changes_memory_by_sql_of_its_own() -> None:
    own = {
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CHANGES_MEMORY.match(node.value)
    }
    assert own == set()


@requirement("MEM-003-3.1-one-way-in")
def test_beside_the_stories_only_ledgers_know_what_is_written_of_memory() -> None:
    places = {name.split("/")[0] for name in IMPORTERS}
    assert places == {"flows", "store", "testing"}


@requirement("MEM-003-3.1-one-way-in")
def test_only_the_writing_story_makes_what_is_written_of_memory() -> None:
    assert {"PutEntry", "SetLinks", "ClaimKey"} <= WRITES
    assert {name for name, tree in TREES.items() if made_in(tree)} == {MAKES}


def test_nobody_hands_on_what_is_written_of_memory_under_another_module() -> None:
    handed_on = {
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != MODULE and {n.name for n in node.names} & WRITES
    }
    assert handed_on == set()
