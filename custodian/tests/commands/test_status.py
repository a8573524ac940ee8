"""`status`, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_world import project
from csbond_tests.marks import requirement


@requirement("CUST-B2.7-01")
def test_a_curated_project_is_ok_and_a_fresh_one_is_not(tmp_path: Path) -> None:
    curated = project(tmp_path / "a")
    said = curated.done("status")
    assert said.split("\n")[:4] == [
        "MemoryCustodian status",
        "CLI version: 0.10.0",
        f"Memory directory: {curated.memory}",
        "Protocol version: 0.6 (current)",
    ]
    fresh = project(tmp_path / "b", "none")
    fresh.done("init")
    done = fresh.run("status")
    assert done.code == 1
    assert "\nbrief.md: NEEDS CURATION, " in done.out


@requirement("CUST-B2.7-01")
def test_a_missing_directory_is_told_and_ends_with_1(tmp_path: Path) -> None:
    done = project(tmp_path, "none").run("status")
    assert (done.code, done.err) == (1, "")
    assert "\nStatus: MISSING\n" in done.out
    data = project(tmp_path / "b", "none").run("status", "--format", "json")
    assert (data.code, data.data["state"]) == (1, "MISSING")


@requirement("CUST-P-06")
def test_json_has_every_file_and_folder(tmp_path: Path) -> None:
    world = project(tmp_path)
    world.done("enable", "area/sync")
    data = world.run("status", "--format", "json").data
    assert data["command"] == "status"
    assert data["protocol"] == {"version": "0.6", "state": "current"}
    assert [file["file"] for file in data["files"]][:2] == ["manifest.md", "subjects.md"]
    assert {folder["folder"]: folder["files"] for folder in data["folders"]} == {
        "rules": 0,
        "profiles": 0,
        "areas": 1,
        "archive": 0,
    }


def test_a_newer_protocol_is_told_and_ends_with_1_and_broken_bytes_are_refused(tmp_path: Path) -> None:
    world = project(tmp_path)
    world.write("manifest.md", world.text("manifest.md").replace("version: 0.6", "version: 0.7"))
    done = world.run("status")
    assert done.code == 1
    assert "Protocol version: 0.7 (newer than CLI supports 0.6)" in done.out
    (world.memory / "brief.md").write_bytes(b"\xff\xfe")
    done = world.run("status")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: brief.md: ")


@requirement("CUST-P-06")
@pytest.mark.parametrize("verb", ["read", "status", "check"])
def test_each_verb_that_only_reads_answers_in_json(tmp_path: Path, verb: str) -> None:
    done = project(tmp_path).run(verb, "--format", "json")
    assert (done.data["command"], done.data["exit_code"]) == (verb, done.code)
    assert len(done.data) > 3
