"""Where a command works."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csbond_tests.marks import requirement
from memory_custodian.files.place import Place
from memory_custodian.files.project import find_place
from memory_custodian.rules.problems import Refused, Unavailable


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made.resolve()


@requirement("CUST-08.1-05")
def test_the_memory_lies_where_the_command_says(root: Path) -> None:
    assert find_place(str(root), "docs/a/b") == Place(
        str(root), str(root / "docs/a/b"), "docs/a/b", ("--project-root", str(root), "--memory-dir", "docs/a/b")
    )
    assert list(root.iterdir()) == []


def test_options_that_were_not_given_are_not_repeated(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    assert find_place(".", "docs/memory").options == ()
    assert find_place(".", "docs/memory").root == str(root)


@pytest.mark.parametrize("memory_dir", ["docs/x/../memory", "./docs//memory/"])
def test_the_path_is_normalised(root: Path, memory_dir: str) -> None:
    assert find_place(str(root), memory_dir).memory_dir == "docs/memory"


@pytest.mark.parametrize("memory_dir", ["docs", ".", "memory", "docs/../memory", "/tmp/docs/memory", "../docs/memory"])
def test_a_memory_outside_docs_is_refused_and_nothing_made(root: Path, memory_dir: str) -> None:
    with pytest.raises(Refused, match=r"^Memory directory must live under docs/"):
        find_place(str(root), memory_dir)
    assert list(root.iterdir()) == []


def test_a_link_out_of_docs_is_followed_before_it_is_judged(root: Path, tmp_path: Path) -> None:
    (root / "docs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / "docs" / "memory").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match=rf"under docs/.* which a symbolic link leads to {tmp_path}/elsewhere$"):
        find_place(str(root), "docs/memory")
    with pytest.raises(Refused, match=r"got docs$"):
        find_place(str(root), "docs")
    (root / "docs" / "real").mkdir()
    (root / "docs" / "link").symlink_to("real")
    assert find_place(str(root), "docs/link").memory_dir == "docs/real"


def test_an_absolute_memory_directory_below_docs_is_shown_relative(root: Path) -> None:
    assert find_place(str(root), str(root / "docs" / "memory")).memory_dir == "docs/memory"


def test_a_project_that_is_not_there_is_named(root: Path) -> None:
    with pytest.raises(Unavailable, match="no such directory"):
        find_place(str(root / "none"), "docs/memory")


@pytest.mark.parametrize("path", ["docs/\udcff", "docs/a\0b"])
def test_a_path_that_no_text_can_hold_is_refused(root: Path, path: str) -> None:
    with pytest.raises(Refused, match="--memory-dir"):
        find_place(str(root), path)
    with pytest.raises(Refused, match="--project-root"):
        find_place(os.path.join(str(root), path), "docs/memory")
