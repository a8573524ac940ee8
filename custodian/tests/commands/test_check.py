"""`check` judges and changes nothing; it never shows what it found (§§10, 11.3, 14)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from csbond_tests.custodian_entries import entry, memory
from csbond_tests.custodian_scan_samples import SAMPLES
from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement

TOKEN = "ghp_" + "q7Zk2mX9vB4tR8wL1nJ6pC3s"


@pytest.fixture
def world(tmp_path: Path) -> Project:
    made = project(tmp_path)
    for file, text in memory().texts.items():
        made.write(file, text)
    return made


def test_a_sound_memory_is_ok(world: Project) -> None:
    assert world.done("check").splitlines() == [
        "MemoryCustodian check: OK",
        "Evidence coverage: 0/0 entries (none)",
        "Subject and Facet coverage: 0/0 entries (none)",
        "Security findings: 0",
        "Privacy findings: 0",
    ]


@requirement("CUST-10-01", "CUST-01-11")
def test_both_scans_run_always_and_places_are_shown_when_asked_for(world: Project) -> None:
    world.write("constraints.md", "# Constraints\n\n- password=" + "hunter77\n- see /home/" + "mirabel/maps\n")
    plain = world.run("check")
    assert plain.code == 0
    assert "Security findings: 1; run `memory-custodian check --security` with --project-root " in plain.out
    assert "Privacy findings: 1; run `memory-custodian check --privacy` with --project-root " in plain.out
    assert "constraints.md:3" not in plain.out.partition("Warnings:")[0]
    security = world.run("check", "--security").out
    assert "constraints.md:3: assigned-secret: - password=[redacted]\nSecurity findings: 1\n" in security
    assert "machine-path" not in security
    both = world.run("check", "--security", "--privacy", "--format", "json").data
    assert [(one["kind"], one["line"]) for one in both["findings"]] == [("assigned-secret", 3), ("machine-path", 4)]


@requirement("CUST-10.1-15", "CUST-10.1-16")
def test_an_evident_secret_fails_and_a_doubtful_one_does_not(world: Project) -> None:
    world.write("brief.md", "# Project Brief\n\npassword=" + "hunter77\n")
    assert world.run("check").code == 0
    world.write("brief.md", f"# Project Brief\n\n{TOKEN}\n")
    assert world.run("check").code == 1


@requirement("CUST-04.4-06")
@pytest.mark.parametrize("file", ["subjects.md", "archive/decisions-2026-01-01.md", "areas/sync.md", "inbox.md"])
def test_every_memory_file_is_scanned_the_registry_and_the_archive_too(world: Project, file: str) -> None:
    world.write(file, f"# Title\n\n{TOKEN}\n")
    done = world.run("check", "--security")
    assert done.code == 1
    assert f"{file}:3: github-token: [redacted]" in done.out


@requirement("CUST-14-05", "CUST-10.1-13", "CUST-10.1-14", "CUST-16-17")
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_output_holds_a_value_that_was_found(world: Project, form: str) -> None:
    samples = [(text, private) for row in SAMPLES for text, private in row.hits]
    world.write("preferences.md", "# Preferences\n\n" + "\n".join(f"- {text}" for text, _ in samples) + "\n")
    done = world.run("check", "--security", "--privacy", "--format", form)
    shown = {private for _, private in samples if private in done.out + done.err}
    # These stand in names, too: a folder that everybody knows, and the word that a password is assigned to.
    assert shown <= {"/root", "password"}
    assert "machine-path" in done.out


@requirement("CUST-02-07", "CUST-10.1-12")
def test_a_check_changes_nothing_whatever_it_finds(world: Project) -> None:
    world.write("decisions.md", f"# Decisions\n\n{TOKEN}\n\n{entry('DEC', 1, Status='open')}- /home/" + "mirabel/x\n")
    before = world.files()
    assert world.run("check", "--security", "--privacy").code == 1
    assert world.files() == before


@requirement("CUST-10.2-08")
def test_a_path_of_a_machine_in_preferences_keeps_its_warning_with_its_line(world: Project) -> None:
    world.write("preferences.md", "# Preferences\n\n- maps lie in /Users/" + "mirabel/maps\n")
    done = world.run("check")
    assert done.code == 0
    assert "- preferences.md:3: contains a machine-specific absolute path" in done.out


@requirement("CUST-B2.8-01")
@pytest.mark.parametrize("raw", [b"\xff\xfe", b"\xef\xbb\xbf# Brief\n"])
def test_a_malformed_file_is_reported_and_the_others_are_still_checked(world: Project, raw: bytes) -> None:
    (world.memory / "brief.md").write_bytes(raw)
    world.write("decisions.md", f"# Decisions\n\n{entry('DEC', 1, Status='open')}")
    done = world.run("check", "--format", "json")
    assert (done.code, done.err) == (1, "")
    assert [issue["code"] for issue in done.data["issues"]] == ["file-unreadable", "entry-status"]


def test_a_malformed_file_of_an_agent_is_reported(world: Project) -> None:
    (world.root / "CLAUDE.md").write_bytes(b"\xff")
    done = world.run("check")
    assert done.code == 1
    assert "- CLAUDE.md: byte 0 is not UTF-8" in done.out


def test_agent_files_of_the_project_are_looked_at(world: Project) -> None:
    (world.root / "AGENTS.md").write_text("# Decisions\n\nOurs.\n", encoding="utf-8")
    assert "- AGENTS.md: seems to hold memory (# Decisions)" in world.done("check")


@requirement("CUST-11.3-05", "CUST-11.3-06", "CUST-04.4-32", "CUST-11.2-06")
def test_legacy_entries_lower_the_coverage_and_fail_nothing(world: Project) -> None:
    world.write("constraints.md", "# Constraints\n\n- one\n- two\n")
    world.write("decisions.md", f"# Decisions\n\n{entry('DEC', 1)}")
    done = world.run("check")
    assert done.code == 0
    assert "Evidence coverage: 1/3 entries (33%)\nSubject and Facet coverage: 1/3 entries (33%)\n" in done.out
    assert "- constraints.md:3: 2 legacy entries remain readable; they have no ID and no Evidence" in done.out


def test_a_project_without_memory_ends_with_a_plain_error(tmp_path: Path) -> None:
    done = project(tmp_path, "none").run("check")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("I/O error: docs/memory: no such directory")


@requirement("CUST-03-06")
def test_a_project_without_project_id_gets_the_hint_to_migrate(tmp_path: Path) -> None:
    done = project(tmp_path, "0.5").run("check")
    assert done.code == 1
    assert "`memory-custodian migrate --project-root " in done.out


@requirement("CUST-T-12")
def test_every_command_that_a_hint_names_works_as_printed(tmp_path: Path) -> None:
    world = project(
        tmp_path / "one", inbox="# Memory Inbox\n\n" + "- item\n" * 31, brief=f"{TOKEN} /home/" + "mirabel/x\n"
    )
    world.write("areas/sync.md", "# Area: Sync\n\n- " + "word " * 600 + "\n")
    (world.memory / "constraints.md").unlink()
    older = project(tmp_path / "two", "0.5")
    hints = set(re.findall(r"`memory-custodian ([^`]+)`", world.run("check").out))
    assert {hint.split()[0] for hint in hints} == {"init", "compact", "check", "migrate"}
    for hint in sorted(hints):
        done = world.run(*hint.split())
        assert done.err == "", (hint, done)
        assert done.code == 0 or hint.startswith("check"), (hint, done)
    for hint in re.findall(r"`memory-custodian ([^`]+)`", older.run("check").out):
        assert older.run(*hint.split()).code == 0
