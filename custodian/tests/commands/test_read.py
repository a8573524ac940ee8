"""`read`, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement

CANDIDATE = """\
# Memory Inbox

Entries are newest first.

## MC-INBOX-20260302-0123abcd — Perhaps JSON

Status: candidate
Candidate-Type: constraint
Scope: project
Evidence:
- agent-observed

Statement:
Storage may require JSON.

Promotion-Requirement:
Ask.
"""


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path, constraints="# Constraints\n\n- Work offline.\n")


@requirement("CUST-B2.6-01", "CUST-03.1-07", "CUST-13.1-30")
def test_plain_read_has_the_shape_of_0_9_1(world: Project) -> None:
    assert world.done("read", "--task", "planning") == (
        "# Memory Context Pack\nTask: planning\n"
        "Loaded:\n- brief.md\n- decisions.md\n- constraints.md\n- do-not-use.md\n"
        "\n## brief.md\n\n# Project Brief\n\nLantern turns field notes into printed maps.\n"
        "\n## decisions.md\n\n# Decisions\n\nEntries are newest first.\n"
        "\n## constraints.md\n\n# Constraints\n\n- Work offline.\n"
        "\n## do-not-use.md\n\n# Do Not Use / Tombstones\n\nTombstones are newest first.\n"
    )
    assert world.done("read", "--task", "preferences", "--names-only") == (
        "# Memory Context Pack\nTask: preferences\nLoaded:\n- brief.md\nSkipped optional:\n- preferences.md\n"
    )


@requirement("CUST-B2.6-01")
def test_a_missing_required_file_ends_with_1_and_so_does_an_empty_pack(world: Project) -> None:
    (world.memory / "constraints.md").unlink()
    done = world.run("read", "--task", "planning", "--names-only")
    assert (done.code, done.err) == (1, "")
    assert "Missing required:\n- constraints.md\n" in done.out
    text = world.text("manifest.md").replace("## Always load\n", "## Always load\nLoad if present:\n")
    world.write("manifest.md", text)
    (world.memory / "brief.md").unlink()
    done = world.run("read")
    assert (done.code, "Loaded:\n- none\nSkipped optional:\n- brief.md\n" in done.out) == (1, True)


@requirement("CUST-B2.6-02", "CUST-B1.1-03")
@pytest.mark.parametrize(
    "words, said",
    [
        (("--profile", "../x"), "Error: Invalid profile name: ../x"),
        (("--area", "a b"), "Error: Invalid area name: a b"),
    ],
)
def test_an_invalid_name_ends_with_2_and_no_output(world: Project, words: tuple[str, str], said: str) -> None:
    done = world.run("read", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)


@requirement("CUST-B2.6-02")
def test_a_missing_or_broken_manifest_ends_with_2_and_no_output(tmp_path: Path, world: Project) -> None:
    world.write("manifest.md", world.text("manifest.md").replace("- brief.md", "- /brief.md"))
    done = world.run("read")
    assert (done.code, done.out) == (2, "")
    assert "manifest.md: general route: unsafe or malformed memory path" in done.err
    for other in (project(tmp_path / "none", "none"), world):
        (other.memory / "manifest.md").unlink(missing_ok=True)
        done = other.run("read")
        assert (done.code, done.out) == (2, "")
        assert "manifest.md is missing" in done.err


@requirement("CUST-T-06")
@pytest.mark.parametrize(
    "version, said", [("0.7", "newer than this CLI supports"), ("abc", "invalid protocol version")]
)
def test_a_newer_or_invalid_protocol_is_not_read(world: Project, version: str, said: str) -> None:
    world.write("manifest.md", world.text("manifest.md").replace("version: 0.6", f"version: {version}"))
    done = world.run("read")
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@requirement("CUST-03-08", "CUST-13.1-21")
def test_an_older_project_is_read_whole_and_without_a_word_about_it(tmp_path: Path) -> None:
    old = project(tmp_path, "0.5", decisions="# Decisions\n\n## 2026-01-15 - Ship\nDecision:\nShip it.\n")
    said = old.done("read", "--task", "implementation")
    assert "\n## 2026-01-15 - Ship\nDecision:\nShip it.\n" in said
    assert "migrat" not in said
    data = old.run("read", "--format", "json").data
    assert data["protocol"] == {"version": "0.5", "state": "older"}


@requirement("CUST-03.1-02", "CUST-16-19")
@pytest.mark.parametrize("task", ["fix the sync engine", "Implementation", "implementation ", "implement", "build", ""])
def test_free_text_is_no_task(world: Project, task: str) -> None:
    done = world.run("read", "--task", task)
    assert (done.code, done.out) == (2, "")


@requirement("CUST-03.1-01", "CUST-03.1-03", "CUST-01-13", "CUST-16-19")
def test_a_file_that_no_route_names_is_not_loaded_whatever_it_says(world: Project) -> None:
    world.done("enable", "area/sync")
    world.write("areas/sync.md", "# Area: Sync\n\nAlways load this for planning, implementation and debugging.\n")
    tasks = ("default", "planning", "implementation", "artifact", "preferences", "history", "maintenance")
    for task in tasks:
        assert "areas/sync.md" not in world.done("read", "--task", task)
    assert "\n- areas/sync.md\n" in world.done("read", "--task", "planning", "--area", "sync")


@requirement("CUST-04.4-02", "CUST-04.4-05", "CUST-03.1-12")
def test_the_registry_is_in_no_pack_and_routes_nothing(world: Project) -> None:
    world.write("secret.md", "# Hidden\n")
    world.write("subjects.md", "# Subjects\n\n## Always load\nLoad:\n- secret.md\n")
    for task in ("default", "planning", "implementation", "artifact", "preferences", "history", "maintenance"):
        said = world.done("read", "--task", task)
        assert "subjects.md" not in said
        assert "secret.md" not in said


@requirement("CUST-05.3-03", "CUST-05.3-04")
def test_candidates_reach_only_a_maintenance_task_and_are_labelled(world: Project) -> None:
    world.write("inbox.md", CANDIDATE)
    world.write("manifest.md", world.text("manifest.md").replace("## Always load\n", "## Always load\n- inbox.md\n"))
    for task in ("default", "planning", "implementation", "artifact", "preferences", "history"):
        said = world.done("read", "--task", task)
        assert "JSON" not in said
        assert "Inactive:\n- inbox.md: 1 candidate entry not loaded\n" in said
        data = world.run("read", "--task", task, "--format", "json").data
        assert "JSON" not in str(data)
    for task in ("maintenance", "compact", "forget"):
        said = world.done("read", "--task", task)
        assert "\n## inbox.md\nCandidates: unconfirmed, not project memory.\n\n# Memory Inbox\n" in said
        assert "Storage may require JSON." in said
    modules = {
        module["file"]: module for module in world.run("read", "--task", "compact", "--format", "json").data["modules"]
    }
    assert (modules["inbox.md"]["candidates"], modules["brief.md"]["candidates"]) == (True, False)


@requirement("CUST-03.1-08", "CUST-P-06", "CUST-01-14", "CUST-01-13", "CUST-16-20")
def test_json_traces_every_module_to_its_source(world: Project) -> None:
    world.write("constraints.md", "# Constraints\n\n" + f"- {'word ' * 49}\n" * 9)
    words = ("read", "--task", "debugging", "--profile", "night", "--area", "sync", "--format", "json")
    data = world.run(*words).data
    assert (data["command"], data["task"], data["category"]) == ("read", "debugging", "implementation")
    shown = {
        module["module"]: (module["state"], [reason["source"] for reason in module["reasons"]])
        for module in data["modules"]
    }
    assert shown == {
        "docs/memory/brief.md": ("loaded", ["always-load"]),
        "docs/memory/decisions.md": ("loaded", ["canonical-task-route"]),
        "docs/memory/constraints.md": ("loaded", ["canonical-task-route", "budget-omission"]),
        "docs/memory/do-not-use.md": ("loaded", ["canonical-task-route"]),
        "docs/memory/preferences.md": ("absent", ["canonical-task-route", "optional-file-absent"]),
        "docs/memory/profiles/night.md": ("absent", ["explicit-profile", "optional-file-absent"]),
        "docs/memory/areas/sync.md": ("absent", ["explicit-area", "optional-file-absent"]),
    }
    (world.memory / "decisions.md").unlink()
    done = world.run(*words)
    missing = next(module for module in done.data["modules"] if module["file"] == "decisions.md")
    assert (done.code, missing["state"], missing["required"]) == (1, "missing", True)
    assert missing["reasons"][-1]["source"] == "required-file-missing"


@requirement("CUST-B1.2-03")
def test_a_link_out_of_the_memory_directory_is_refused(tmp_path: Path, world: Project) -> None:
    (tmp_path / "outside.md").write_text("# Private\n", "utf-8")
    (world.memory / "areas").mkdir()
    (world.memory / "areas" / "sync.md").symlink_to(tmp_path / "outside.md")
    done = world.run("read", "--area", "sync")
    assert (done.code, done.out) == (2, "")
    assert "areas/sync.md" in done.err
    assert "Private" not in done.err


@requirement("CUST-P-14")
def test_a_file_with_crlf_is_read_as_any_other(world: Project) -> None:
    plain = world.done("read", "--task", "planning")
    for file in ("manifest.md", "brief.md", "constraints.md"):
        world.write(file, world.text(file).replace("\n", "\r\n"))
    assert world.done("read", "--task", "planning") == plain


@requirement("CUST-16-07", "CUST-11.3-01")
def test_a_project_of_protocol_0_5_is_read_as_it_is(tmp_path: Path) -> None:
    shipping = "## 2026-01-15 - Ship\nDecision:\nShip it.\n"
    old = project(
        tmp_path, "0.5", decisions=f"# Decisions\n\n{shipping}", constraints="# Constraints\n\n- Work offline.\n"
    )
    before = old.files()
    pack = old.done("read", "--task", "planning")
    assert shipping in pack
    assert "- Work offline.\n" in pack
    assert old.files() == before
