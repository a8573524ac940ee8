"""The requirement manifest, `spec/requirements/*.toml`, and which test shows which requirement.

A manifest file is a list of `[[requirement]]` tables: `id`, `section`, `sentence`, `rule` where one function keeps it
(`rule = "package.module:function"`), and `gap` where no test can show it: `gap = { reason = "…", note = "…" }` with one
of the reasons of `GAP_REASONS`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csbond_tests.marks import requirement

__all__ = [
    "GAP_REASONS",
    "Gap",
    "Manifest",
    "ManifestError",
    "Requirement",
    "Use",
    "load_manifest",
    "requirement",
    "uses_in",
]

_RULE = re.compile(r"[a-z_0-9.]+:\w+(\.\w+)?")

GAP_REASONS = ("paused by its source", "contradicted by a newer source", "impossible offline")


class ManifestError(ValueError):
    """A manifest file breaks the format; the message names the file and the requirement."""


@dataclass(frozen=True)
class Gap:
    """Why no test shows a requirement."""

    reason: str
    note: str


@dataclass(frozen=True)
class Requirement:
    """One sentence of a source that the project keeps, or says why it does not."""

    id: str
    section: str
    sentence: str
    file: str
    gap: Gap | None = None
    rule: str = ""
    """The function that keeps it, as `module:function` or `module:Class.method`; empty where it is more than one."""


@dataclass(frozen=True)
class Use:
    """One place in the tests that claims to show a requirement."""

    id: str
    file: str
    line: int
    test: str = ""
    """The function or class, as pytest names it behind the file; empty where all tests of the file are meant."""


Manifest = Mapping[str, Requirement]


def load_manifest(folder: Path) -> Manifest:
    """Return every requirement of the folder by id; raises `ManifestError` for a broken or repeated one."""
    manifest: dict[str, Requirement] = {}
    for path in sorted(folder.glob("*.toml")):
        for table in _tables(path):
            found = _requirement(table, path.name)
            if found.id in manifest:
                raise ManifestError(f"{path.name}: {found.id} is already in {manifest[found.id].file}")
            manifest[found.id] = found
    return manifest


def _tables(path: Path) -> list[dict[str, Any]]:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    tables = document.pop("requirement", [])
    if document:
        raise ManifestError(f"{path.name}: unknown top-level keys {sorted(document)}")
    return list(tables)


def _requirement(table: dict[str, Any], file: str) -> Requirement:
    where = f"{file}: {table.get('id', 'a requirement without id')}"
    unknown = set(table) - {"id", "section", "sentence", "rule", "gap"}
    if unknown:
        raise ManifestError(f"{where}: unknown keys {sorted(unknown)}")
    for key in ("id", "section", "sentence"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise ManifestError(f"{where}: {key} is missing or empty")
    rule = table.get("rule", "")
    if "rule" in table and not (isinstance(rule, str) and _RULE.fullmatch(rule)):
        raise ManifestError(f"{where}: a rule is written package.module:function")
    gap = _gap(table["gap"], where) if "gap" in table else None
    return Requirement(table["id"], table["section"], table["sentence"], file, gap, rule)


def _gap(table: Any, where: str) -> Gap:
    if not isinstance(table, dict) or set(table) - {"reason", "note"}:
        raise ManifestError(f"{where}: a gap is {{ reason, note }}")
    if table.get("reason") not in GAP_REASONS:
        raise ManifestError(f"{where}: the reason of a gap is one of {', '.join(GAP_REASONS)}")
    return Gap(table["reason"], str(table.get("note", "")))


def uses_in(folders: Iterable[Path]) -> list[Use]:
    """Return every use of `requirement(…)` on a test under the folders, read from the source without running it.

    Raises `ManifestError` where a call is not attached to a test or an id is not a literal, so no use can go unseen.
    """
    return [use for folder in folders for path in sorted(folder.rglob("test_*.py")) for use in _uses_in_file(path)]


def _uses_in_file(path: Path) -> Iterator[Use]:
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    attached = dict(_calls_on_tests(tree))
    for call in filter(_is_requirement, ast.walk(tree)):
        assert isinstance(call, ast.Call)
        if call not in attached:
            raise ManifestError(f"{path}:{call.lineno}: requirement(…) is not on a test")
        for argument in call.args:
            if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                raise ManifestError(f"{path}:{call.lineno}: a requirement's id is not a literal")
            yield Use(argument.value, str(path), call.lineno, attached[call])


def _calls_on_tests(tree: ast.Module | ast.ClassDef, within: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Whatever may be a call on a test, with the name of the test."""
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name.lower().startswith("test"):
                name = f"{within}::{node.name}".removeprefix("::")
                for decorator in node.decorator_list:
                    yield decorator, name
                    yield from ((each, name) for each in _marks_of_cases(decorator))
                if isinstance(node, ast.ClassDef):
                    yield from _calls_on_tests(node, name)
            case ast.Assign(targets=[ast.Name(id="pytestmark")]):
                yield from ((each, within) for each in ast.walk(node.value))
            case _:
                # Cases may stand in a table of their own, of which it is not seen which tests use it.
                yield from ((each, within) for each in _marks_of_cases(node))


def _marks_of_cases(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "marks":
            yield from ast.walk(node.value)


def _is_requirement(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="requirement")) | ast.Call(func=ast.Attribute(attr="requirement")):
            return True
    return False
