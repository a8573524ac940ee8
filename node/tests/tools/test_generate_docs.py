"""The pages of docs/reference that are made from the code are what the code says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from csbond.cli.reference import cli_markdown, command_paths
from csbond.protocol.errors import REGISTRY
from csbond_tests.repository import REPOSITORY


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", REPOSITORY / "tools" / "generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.docs
def test_the_pages_in_the_repository_are_up_to_date(tool, capsys) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_pages_are_written_where_they_are_missing_and_left_where_they_fit(tool, tmp_path: Path, capsys) -> None:
    assert tool.main(["--check", "--root", str(tmp_path)]) == 1
    assert not (tmp_path / "docs").exists()
    assert tool.main(["--root", str(tmp_path)]) == 0
    assert tool.main(["--check", "--root", str(tmp_path)]) == 0
    capsys.readouterr()
    assert tool.main(["--root", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


def test_a_page_that_was_changed_by_hand_is_named(tool, tmp_path: Path, capsys) -> None:
    tool.main(["--root", str(tmp_path)])
    (tmp_path / "docs/reference/cli.md").write_text("by hand")
    capsys.readouterr()
    assert tool.main(["--check", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith("docs/reference/cli.md is not what the code says")


def test_every_command_and_every_exit_status_is_in_the_reference() -> None:
    page = cli_markdown()
    assert all(f"\n## {path}\n" in page for path in command_paths())
    assert all(f"`{code}`" in page for code in REGISTRY)
    assert all(f"\n| {status} | " in page for status in (0, 1, 2, 3, 4, 70, 130, 141))
    assert "--install-completion" in page
