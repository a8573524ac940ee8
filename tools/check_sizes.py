"""Checks the limits of size and the words no module may be named with; prints each breach and exits 1.

Files of code and of tests: at most 400 lines. Functions of code: at most 60 lines. Module names: no word that says
nothing about what is inside, and no version of our own code.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
CODE = ("node/src", "custodian/src", "tools", "bench")
TESTS = ("node/tests", "custodian/tests")
FORBIDDEN_WORDS = frozenset(
    {"manager", "helper", "helpers", "util", "utils", "common", "shared", "base", "misc", "modern", "legacy"}
)
OWN_VERSION = re.compile(r".+_v\d+$")


def main(arguments: list[str] | None = None) -> int:
    """Return 0 when nothing under `--root` breaks a limit, else 1 after printing each breach."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root: Path = parser.parse_args(arguments).root
    breaches = sorted(breaches_in(root))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


def breaches_in(root: Path) -> Iterator[str]:
    """Yield one line for each breach under `root`, starting with the path relative to it."""
    for folder in CODE + TESTS:
        for path in sorted((root / folder).rglob("*.py")):
            name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            yield from _file_breaches(name, text)
            if folder in CODE:
                yield from _name_breaches(name)
                yield from _function_breaches(name, text)


def _file_breaches(name: str, text: str) -> Iterator[str]:
    lines = len(text.splitlines())
    if lines > MAX_FILE_LINES:
        yield f"{name}: {lines} lines; a file has at most {MAX_FILE_LINES}"


def _name_breaches(name: str) -> Iterator[str]:
    for part in name.removesuffix(".py").split("/"):
        for word in sorted(FORBIDDEN_WORDS.intersection(part.lower().split("_"))):
            yield f"{name}: the word '{word}' says nothing about what is inside"
        if OWN_VERSION.match(part):
            yield f"{name}: '{part}' names a version of our own code; git has those"


def _function_breaches(name: str, text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text, name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                yield f"{name}:{node.lineno}: {node.name} has {lines} lines; at most {MAX_FUNCTION_LINES}"


if __name__ == "__main__":
    sys.exit(main())
