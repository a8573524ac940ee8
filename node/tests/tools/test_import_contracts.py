"""The import contracts and the ban on clocks see what they are there to see."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from csbond_tests.repository import REPOSITORY

SETTINGS = REPOSITORY / "pyproject.toml"
BIN = Path(sys.executable).parent
SOURCE = REPOSITORY / "node/src/csbond"


def modules_of(folder: Path) -> list[str]:
    """The modules and packages of a folder, as files that hold nothing."""
    found = [path for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    files = [path if path.suffix == ".py" else path / "__init__.py" for path in found]
    return [path.relative_to(SOURCE).as_posix() for path in files]


EMPTY_HOUSE = dict.fromkeys([name for ring in (".", "protocol", "store") for name in modules_of(SOURCE / ring)], "")
"""What the contracts name and the house has; layers in parentheses are still to come."""

CUSTODIAN = "custodian/src/memory_custodian"
EMPTY_CUSTODIAN = {
    f"{CUSTODIAN}/{path.relative_to(REPOSITORY / CUSTODIAN).as_posix()}": ""
    for path in [*(REPOSITORY / CUSTODIAN).glob("*.py"), *(REPOSITORY / CUSTODIAN).glob("*/__init__.py")]
}


def house(root: Path, modules: dict[str, str]) -> None:
    """Build a small csbond with these modules, and the packages they stand in."""
    for name, text in {"node/src/csbond/__init__.py": "", **EMPTY_CUSTODIAN, **modules}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for folder in path.relative_to(root).parents:
            if len(folder.parts) > 2 and not (root / folder / "__init__.py").exists():
                (root / folder / "__init__.py").write_text("", encoding="utf-8")
    (root / "pyproject.toml").write_text(SETTINGS.read_text(encoding="utf-8"), encoding="utf-8")


def run(root: Path, command: Sequence[str]) -> tuple[int, str]:
    paths = f"{root}/node/src:{root}/custodian/src"
    environment = {"PYTHONPATH": paths, "PATH": str(BIN), "HOME": str(root)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def contracts(root: Path, modules: dict[str, str]) -> tuple[int, str]:
    modules = {**EMPTY_HOUSE, "flows/write_memory.py": "", **modules}
    house(root, {name if name.startswith(CUSTODIAN) else f"node/src/csbond/{name}": modules[name] for name in modules})
    return run(root, [str(BIN / "lint-imports"), "--no-logo", "--no-cache"])


def test_a_house_whose_imports_point_down_is_kept(tmp_path: Path) -> None:
    code, output = contracts(
        tmp_path,
        {
            "store/sqlite/rows.py": "import sqlite3\nimport csbond.store.writing.rows\n",
            "store/writing/rows.py": "import csbond.flows.write_memory\nimport csbond.protocol.memory.entry\n",
            "flows/write_memory.py": "import asyncio\nimport csbond.protocol.memory.entry\n",
            "protocol/memory/entry.py": "import hashlib\nimport csbond.protocol.errors\n",
        },
    )
    assert code == 0, output


@pytest.mark.parametrize(
    "broken, modules",
    [
        ("The house", {"protocol/errors.py": "import csbond.flows.x\n", "flows/x.py": ""}),
        ("The house", {"store/rows.py": "import csbond.transport.wire\n", "transport/wire.py": ""}),
        ("The house", {"surprise.py": ""}),
        (
            "The rules",
            {"protocol/memory/a.py": "import csbond.protocol.delegation.b\n", "protocol/delegation/b.py": ""},
        ),
        ("The rules", {"protocol/errors.py": "import csbond.protocol.trust.a\n", "protocol/trust/a.py": ""}),
        ("The rules", {"protocol/surprise.py": ""}),
        ("The store", {"store/writing/a.py": "import csbond.store.sqlite.b\n", "store/sqlite/b.py": ""}),
        ("The store", {"store/surprise.py": ""}),
        ("What is written", {"store/writing/a.py": "import apsw\n"}),
        ("Siblings form no cycle", {"flows/a.py": "import csbond.flows.b\n", "flows/b.py": "import csbond.flows.a\n"}),
        ("A rule has no hands", {"protocol/errors.py": "import urllib.request\n"}),
        ("A rule has no hands", {"protocol/errors.py": "import asyncio\n"}),
        ("A story asks its ports", {"flows/a.py": "from os import path\n"}),
        ("A story asks its ports", {"flows/a.py": "import logging\n"}),
        ("The two distributions share no code", {"store/a.py": "import memory_custodian\n"}),
        (
            "The custodian",
            {f"{CUSTODIAN}/rules/a.py": "import memory_custodian.files.b\n", f"{CUSTODIAN}/files/b.py": ""},
        ),
        ("The custodian", {f"{CUSTODIAN}/surprise.py": ""}),
        ("A rule of memory has no hands", {f"{CUSTODIAN}/rules/a.py": "import os\n"}),
        ("The custodian opens no network", {f"{CUSTODIAN}/files/a.py": "import subprocess\n"}),
        ("The custodian opens no network", {f"{CUSTODIAN}/commands/a.py": "import dataclasses\n"}),
    ],
)
def test_a_contract_is_broken_by_what_it_forbids(tmp_path: Path, broken: str, modules: dict[str, str]) -> None:
    code, output = contracts(tmp_path, modules)
    assert code == 1
    verdicts = [line for line in output.splitlines() if line.endswith(" BROKEN") and line.startswith(broken)]
    assert len(verdicts) == 1, output


BANNED = """
import datetime
import logging
import random
import secrets
import time
import uuid
a = datetime.datetime.now(tz=datetime.UTC)
b = datetime.datetime.today()
c = uuid.uuid4()
"""
BANNED_LINES = {3, 4, 5, 6, 8, 9, 10}
ALLOWED = """
import datetime
h = datetime.datetime.fromisoformat("2026-01-01")
"""


@pytest.mark.parametrize(
    "ring, expected",
    [
        ("node/src/csbond/protocol", BANNED_LINES),
        ("node/src/csbond/flows", BANNED_LINES),
        ("node/src/csbond/store", set()),
        (f"{CUSTODIAN}/rules", BANNED_LINES),
        (f"{CUSTODIAN}/files", set()),
    ],
)
def test_clocks_and_dice_are_banned_in_rules_and_stories(tmp_path: Path, ring: str, expected: set[int]) -> None:
    house(tmp_path, {f"{ring}/a.py": BANNED, f"{ring}/b.py": ALLOWED})
    ruff = [str(BIN / "ruff"), "check", "--no-cache", "--select", "TID251", "--output-format", "concise"]
    _, output = run(tmp_path, ruff)
    found = {int(line.split(":")[1]) for line in output.splitlines() if "a.py:" in line}
    assert found == expected, output
    assert "b.py" not in output
