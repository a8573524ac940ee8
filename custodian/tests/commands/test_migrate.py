"""`migrate`: previewed, confirmed, and refused where it could do harm."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path

import pytest

from csbond_tests.custodian_world import PROJECT_ID, Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.rules.manifest import project_id_of, read_manifest


@pytest.fixture
def old(tmp_path: Path) -> Project:
    return project(tmp_path, "0.5", decisions="# Decisions\n\n## 2026-01-15 - Ship\nDecision:\nShip it.\n")


@requirement("CUST-08-03", "CUST-11.1-01", "CUST-11.1-13", "CUST-11.2-02")
def test_a_preview_writes_nothing_and_shows_ids_checklist_and_the_command_to_apply(old: Project) -> None:
    before = old.files()
    shown = old.done("migrate")
    assert old.files() == before
    assert "MemoryCustodian migrate plan:\n- manifest.md: metadata of protocol 0.6\n" in shown
    assert "Subject and Facet to assign by hand:\n- MC-DEC-20260115-" in shown
    assert f"--apply --confirm-plan {plan_id_in(shown)}" in shown
    assert "Dry run only" in shown


@requirement("CUST-11.1-02")
def test_an_apply_needs_the_plan_id_of_the_preview(old: Project) -> None:
    before = old.files()
    for words in ((), ("--confirm-plan", "0123456789abcdef")):
        done = old.run("migrate", "--apply", *words)
        assert done.code == 2
        assert "--confirm-plan" in done.err
        assert old.files() == before


@requirement("CUST-11.1-14")
def test_a_migration_waits_for_the_lock_and_leaves_no_temporary_file(old: Project) -> None:
    plan = plan_id_in(old.done("migrate"))
    lock = held(old)
    done = old.run("migrate", "--apply", "--confirm-plan", plan, "--lock-timeout", "0")
    assert done.code == 1
    assert "Timed out waiting for mutation lock" in done.err
    lock.unlink()
    assert old.run("migrate", "--apply", "--confirm-plan", plan).code == 0
    assert not [path for path in old.files() if path.endswith(".tmp")]


@requirement("CUST-11.1-14")
@pytest.mark.parametrize("file", ["decisions.md", "subjects.md", "manifest.md"])
def test_a_migration_that_cannot_replace_one_of_its_files_leaves_all_as_they_were(
    old: Project, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    plan = plan_id_in(old.done("migrate"))
    before = old.files()
    put = os.replace
    seen: list[str] = []

    def replace(temporary: str, path: str) -> None:
        if os.path.basename(path) == file:
            seen.append(path)
            raise OSError(28, "No space left on device")
        put(temporary, path)

    monkeypatch.setattr(os, "replace", replace)
    done = old.run("migrate", "--apply", "--confirm-plan", plan)
    monkeypatch.undo()
    assert (done.code, len(seen)) == (1, 1)
    assert f"docs/memory/{file}: No space left on device; nothing was changed" in done.err
    assert old.files() == before
    assert old.run("migrate", "--apply", "--confirm-plan", plan).code == 0


def held(world: Project) -> Path:
    """Take the lock of the project, as a command of this process would hold it."""
    name = hashlib.sha256(os.path.normcase(os.path.realpath(world.root)).encode()).hexdigest()
    path = world.state / "memory-custodian" / "locks" / f"bootstrap-{name}.lock"
    path.write_text(json.dumps({"hostname": socket.gethostname(), "pid": os.getpid()}), "utf-8")
    path.chmod(0o600)
    return path


@requirement("CUST-03-07")
def test_a_copied_project_keeps_its_id_and_two_projects_at_one_path_differ(tmp_path: Path) -> None:
    ids = []
    for number in range(2):
        made = project(tmp_path, "0.5")
        assert made.confirmed("migrate").code == 0
        ids.append(project_id_of(read_manifest(made.text("manifest.md"))))
        made.root.rename(tmp_path / f"moved-{number}")
        moved = Project(tmp_path)
        moved.root = tmp_path / f"moved-{number}"
        moved.memory = moved.root / "docs" / "memory"
        assert "no changes needed" in moved.done("migrate")
        assert project_id_of(read_manifest(moved.text("manifest.md"))) == ids[-1]
    assert None not in ids
    assert ids[0] != ids[1]


@requirement("CUST-03-03", "CUST-B2.11-01")
def test_a_current_project_needs_no_migration(tmp_path: Path) -> None:
    made = project(tmp_path)
    made.confirmed("migrate")
    before = made.files()
    assert made.done("migrate") == "MemoryCustodian migrate: no changes needed\n"
    assert made.files() == before
    assert project_id_of(read_manifest(made.text("manifest.md"))) == PROJECT_ID


@requirement("CUST-04.1-10")
def test_no_option_lets_a_user_choose_ids(old: Project) -> None:
    for option in ("--id", "--entry-id", "--seed", "--suffix", "--project-id", "--date"):
        assert old.run("migrate", option, "0123abcd").code == 2
    assert old.run("migrate", "--help").code == 0


@requirement("CUST-P-14")
def test_files_with_crlf_line_ends_keep_them(old: Project) -> None:
    for file in ("manifest.md", "decisions.md"):
        old.write(file, old.text(file).replace("\n", "\r\n"))
    assert "Load:\n- decisions.md" not in old.text("manifest.md")
    assert old.confirmed("migrate").code == 0
    for file in ("manifest.md", "decisions.md"):
        text = old.text(file)
        assert text.count("\r\n") == text.count("\n") > 5
    assert "legacy-unverified\r\n" in old.text("decisions.md")
    assert "\r" not in old.text("subjects.md")


def test_without_memory_or_manifest_nothing_is_migrated(tmp_path: Path) -> None:
    empty = project(tmp_path, "none")
    done = empty.run("migrate")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("I/O error: docs/memory: no such directory")
    empty.write("brief.md", "# Project Brief\n")
    done = empty.run("migrate")
    assert (done.code, done.out) == (2, "")
    assert "manifest.md is missing" in done.err


@requirement("CUST-13.1-22", "CUST-T-06")
@pytest.mark.parametrize(
    "version, said", [("0.7", "newer than this CLI supports"), ("six", "invalid protocol version")]
)
def test_no_writer_touches_or_downgrades_a_newer_or_invalid_protocol(tmp_path: Path, version: str, said: str) -> None:
    made = project(tmp_path)
    made.write("manifest.md", made.text("manifest.md").replace("protocol_version: 0.6", f"protocol_version: {version}"))
    before = made.files()
    writers = (
        ("init",),
        ("init", "--repair"),
        ("init", "--replace-existing"),
        ("enable", "area/sync"),
        ("migrate",),
        ("compact",),
        ("forget", "lantern"),
        ("add", "Ship it.", "--type", "preference", "--evidence", "user-confirmed"),
        ("subject", "add", "Lantern", "--kind", "concept", "--evidence", "user-confirmed"),
        ("promote", "MC-INBOX-20260302-0123abcd", "--evidence", "user-confirmed"),
    )
    for words in writers:
        done = made.run(*words)
        assert (done.code, done.out) == (2, ""), words
        assert said in done.err, words
    assert made.files() == before


@requirement("CUST-08.2-08")
@pytest.mark.parametrize(
    "words",
    [
        ("init", "--extended"),
        ("enable", "area/sync"),
        ("add", "Work offline.", "--type", "constraint"),
        ("add", "Perhaps JSON."),
        ("forget", "everything ship", "--apply"),
        ("compact", "--apply"),
    ],
    ids=" ".join,
)
def test_every_write_in_an_older_project_prints_a_notice_to_migrate(tmp_path: Path, words: tuple[str, ...]) -> None:
    inbox = "# Memory Inbox\n\n## 2026-01-15\n- Everything ships.\n- Maybe.\n- Maybe.\n"
    old = project(tmp_path, "0.5", inbox=inbox)
    before = old.files()
    said = old.done(*words)
    assert old.files() != before
    assert "memory-custodian migrate" in said
    assert "protocol_version: 0.5\n" in old.text("manifest.md")
    current = project(tmp_path / "current", inbox=inbox)
    assert "memory-custodian migrate" not in current.done("enable", "area/sync")
