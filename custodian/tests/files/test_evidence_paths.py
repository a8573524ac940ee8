"""Whether the files that evidence names are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_custodian.files.evidence_paths import missing_paths
from memory_custodian.files.project import find_place
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.problems import Refused


def test_only_paths_are_looked_up(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("")
    (tmp_path / "tests").mkdir()
    place = find_place(str(tmp_path), "docs/memory")
    evidence = (
        Evidence("user-confirmed"),
        Evidence("issue", "42"),
        Evidence("repo", "a.toml", "293b9e6"),
        Evidence("test", "tests"),
        Evidence("doc", "docs/none.md"),
        Evidence("repo", "b.toml", "1.0"),
    )
    assert missing_paths(place, evidence) == ("doc:docs/none.md", "repo:b.toml@1.0")


def test_a_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret").write_text("")
    (root / "a").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to("..")
    (root / "here").symlink_to(".")
    place = find_place(str(root), "docs/memory")
    for target in ("a", "up/secret", "up"):
        with pytest.raises(Refused, match=f"repo:{target}: leads outside"):
            missing_paths(place, (Evidence("repo", target),))
    assert missing_paths(place, (Evidence("repo", "here"),)) == ()
