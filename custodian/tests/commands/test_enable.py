"""`enable`, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


@requirement("CUST-B2.4-01")
def test_a_module_is_made_once_indexed_and_read_on_request(world: Project) -> None:
    said = world.done("enable", "area/sync")
    assert said.startswith("areas/sync.md: written\nmanifest.md: indexed areas/sync.md\n")
    assert world.text("areas/sync.md").startswith("# Area: Sync\n")
    before = world.files()
    assert world.done("enable", "areas/sync") == "areas/sync.md: already enabled\n"
    assert world.files() == before
    assert "- areas/sync.md\n" in world.done("read", "--area", "sync", "--names-only")


@requirement("CUST-B2.4-01")
def test_each_module_is_noted_in_the_changelog_under_one_heading(world: Project) -> None:
    world.done("enable", "changelog")
    world.done("enable", "rules/output")
    text = world.text("changelog.md")
    first, second = text.index("memory module rules/output.md."), text.index("memory module changelog.md.")
    assert first < second
    assert text.count("\n## ") == 1


@requirement("CUST-B1.1-03")
@pytest.mark.parametrize("name", ["../x", ".hidden", "-x", "a b", "a/b", "ä", ""])
def test_an_unsafe_name_is_refused(world: Project, name: str) -> None:
    before = world.files()
    done = world.run("enable", f"profile/{name}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: Invalid profile name: ")
    assert world.files() == before


def test_force_is_refused_and_a_missing_memory_is_an_io_error(tmp_path: Path, world: Project) -> None:
    assert "enable --force was removed" in world.run("enable", "changelog", "--force").err
    nothing = project(tmp_path / "empty", "none")
    assert nothing.run("enable", "changelog").code == 1


@requirement("CUST-P-14")
def test_a_manifest_with_crlf_stays_so(world: Project) -> None:
    world.write("manifest.md", world.text("manifest.md").replace("\n", "\r\n"))
    world.done("enable", "area/sync")
    text = world.text("manifest.md")
    assert text.count("\r\n") == text.count("\n")
    assert "`areas/sync.md`" in text


@requirement("CUST-08.2-08")
def test_an_older_project_gets_a_notice(tmp_path: Path) -> None:
    old = project(tmp_path / "old", "0.5")
    assert "memory-custodian migrate" in old.done("enable", "area/sync")
    assert "protocol_version: 0.5" in old.text("manifest.md")
