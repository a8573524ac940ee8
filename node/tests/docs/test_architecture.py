"""ARCHITECTURE.md is true: its paths exist, and each step is where its table says."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from csbond_tests.repository import REPOSITORY

pytestmark = pytest.mark.docs

PAGE = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
SOURCE = REPOSITORY / "node/src/csbond"
_PATH = re.compile(r"`([\w./-]+(?:\.py|\.md|/))`")


def rows_of(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


TABLES = {
    "A message arrives": "flows/receive_message.py",
    "A memory is written": "flows/write_memory.py",
    "A memory rises, sinks and is forgotten": "flows/tend_memory.py",
}
ROWS = [(story, row) for heading, story in TABLES.items() for row in rows_of(heading)]


@cache
def imports_of(module: Path) -> set[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}


def importers_of(name: str) -> set[str]:
    return {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if name in imports_of(path)}


@pytest.mark.parametrize("path", sorted(set(_PATH.findall(PAGE))))
def test_every_path_the_page_names_exists(path: str) -> None:
    assert any((place / path).exists() for place in (REPOSITORY, SOURCE)), path


@pytest.mark.parametrize("story, row", ROWS, ids=[row[0] for _, row in ROWS])
def test_each_step_uses_its_rule(story: str, row: list[str]) -> None:
    for rule in _PATH.findall(row[1]):
        module = "csbond." + rule.removesuffix(".py").replace("/", ".")
        users = importers_of(module)
        hands = _PATH.findall(row[2])
        near = [user for user in users if user.startswith("flows/") or any(user.startswith(hand) for hand in hands)]
        assert near, f"{story}: nothing in flows/ or {hands} uses {rule}"


def test_the_picture_of_imports_is_the_contract() -> None:
    settings = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    picture = re.findall(r"```\n(cli.*?)```", PAGE, re.DOTALL)[0].splitlines()
    contract = settings.split('containers = ["csbond"]', 1)[1].split("layers = [", 1)[1].split("]", 1)[0]
    layers = [re.findall(r"\w+", line) for line in contract.splitlines() if line.strip()]
    later = {"mcp", "console"}
    assert [re.findall(r"\w+", line) for line in picture] == [
        [name for name in layer if name not in later] for layer in layers
    ]


def test_every_rule_and_story_says_what_it_is() -> None:
    for folder in ("protocol", "flows"):
        for path in (SOURCE / folder).rglob("*.py"):
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
