"""The schemas of spec/schemas that are made from the code are what the code says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from csbond_tests.repository import REPOSITORY


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_schemas", REPOSITORY / "tools" / "generate_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.docs
def test_the_schemas_in_the_repository_are_up_to_date(tool, capsys) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_schemas_are_written_where_they_are_missing_and_left_where_they_fit(tool, tmp_path: Path, capsys) -> None:
    assert tool.main(["--check", "--root", str(tmp_path)]) == 1
    assert not (tmp_path / "spec").exists()
    assert tool.main(["--root", str(tmp_path)]) == 0
    assert tool.main(["--check", "--root", str(tmp_path)]) == 0
    capsys.readouterr()
    assert tool.main(["--root", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


def test_a_schema_that_was_changed_by_hand_is_named(tool, tmp_path: Path, capsys) -> None:
    tool.main(["--root", str(tmp_path)])
    (tmp_path / "spec/schemas/memory-v1.schema.json").write_text("{}")
    capsys.readouterr()
    assert tool.main(["--check", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith("spec/schemas/memory-v1.schema.json is not what the code says")
