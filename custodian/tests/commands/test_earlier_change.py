"""Whoever finishes what an earlier command had begun says so, whatever becomes of the own change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csbond_tests.custodian_fixtures import entered
from csbond_tests.custodian_world import Done, Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.commands import mutation
from memory_custodian.files import journal
from memory_custodian.files.atomic import digest_of, prepare
from memory_custodian.files.project import find_place
from memory_custodian.rules.digest import sha256_hex
from memory_custodian.rules.problems import Unavailable

NEW = "# Memory Changelog\n\nEntries are newest first.\n"
CONFIRMED = ("--evidence", "user-confirmed")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return entered(project(tmp_path, constraints="# Constraints\n\n- alpha\n- alpha beta\n"), monkeypatch)


def begun(world: Project, file: str = "rules/left.md") -> None:
    """Leave what a command leaves that is killed before its last file."""
    place = find_place(str(world.root), "docs/memory")
    path = world.memory / file
    path.parent.mkdir(exist_ok=True)
    base = digest_of(str(path))
    temporary = os.path.relpath(prepare(str(path), NEW.encode()), world.root)
    journal.note(place, [journal.Step(f"docs/memory/{file}", temporary, base, sha256_hex(NEW.encode()))])


def said(done: Done, file: str = "docs/memory/rules/left.md") -> None:
    """It is the first line, also of a refusal, and a refusal says it where it says that nothing was written."""
    line = f"Finished what an earlier command had begun: {file}"
    assert done.out.splitlines()[0] == line, done
    assert done.out.count(line) == 1
    if done.err:
        assert done.err.endswith(f". Before that, what an earlier command had begun was finished: {file}\n")


@requirement("CUST-14-16", "CUST-T-18", "CUST-14-15")
@pytest.mark.parametrize(
    "code, arguments",
    [
        (0, ("add", "A note.", *CONFIRMED)),
        (2, ("add", "A note.", *CONFIRMED, "--subject", "MC-SUBJ-20260302-00000001", "--facet", "scope")),
        (1, ("add", " ".join(["long"] * 200), "--type", "decision", *CONFIRMED)),
        (0, ("enable", "changelog")),
        (2, ("forget", "alpha", "--apply", "--confirm-plan", "0" * 16, "--allow-broad-match")),
        (2, ("forget", "nothing like it", "--mode", "hard", "--apply", "--confirm-plan", "0" * 16)),
    ],
)
def test_every_ending_names_the_files_that_were_finished(world: Project, code: int, arguments: tuple[str, ...]) -> None:
    more: tuple[str, ...] = ()
    if "decision" in arguments:
        made = world.confirmed("subject", "add", "Maps", "--kind", "concept", *CONFIRMED).out
        more = ("--subject", made.partition("New Subject: ")[2].split()[0], "--facet", "behavior")
    begun(world)
    done = world.run(*arguments, *more)
    assert done.code == code, done
    said(done)
    assert world.text("rules/left.md") == NEW
    begun(world, "rules/other.md")
    answer = world.run(*arguments, *more, "--format", "json")
    assert answer.data["finished"] == ["docs/memory/rules/other.md"]
    assert "docs/memory/rules/other.md" not in answer.data.get("written", [])


@requirement("CUST-14-16")
def test_a_closed_gate_and_a_write_that_fails_name_them_too(world: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_id_in(world.done("forget", "alpha"))
    asked = ("forget", "alpha", "--apply", "--confirm-plan", plan)
    begun(world, "archive/left.txt")
    said(world.run(*asked), "docs/memory/archive/left.txt")

    def fails(*_arguments: object) -> None:
        raise Unavailable("docs/memory/constraints.md: No space left on device; nothing was changed")

    monkeypatch.setattr(mutation, "commit", fails)
    begun(world, "archive/other.txt")
    done = world.run(*asked, "--allow-broad-match")
    assert done.code == 1
    said(done, "docs/memory/archive/other.txt")


@requirement("CUST-14-16")
def test_an_error_of_the_disk_names_them_too(world: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object, **_more: object) -> None:
        raise OSError(13, "Permission denied", "docs/memory/.brief.md.0.tmp")

    for name in ("sweep", "fresh_draws", "commit"):
        begun(world, f"rules/{name}.md")
        with monkeypatch.context() as patch:
            patch.setattr(mutation, name, fails)
            done = world.run("add", "A note.", *CONFIRMED)
        assert (done.code, done.err.partition(". ")[0]) == (
            1,
            "I/O error: docs/memory/.brief.md.0.tmp: Permission denied",
        )
        said(done, f"docs/memory/rules/{name}.md")


@requirement("CUST-14-16", "CUST-07.3-06")
@pytest.mark.parametrize("end, code", [(KeyboardInterrupt(), 130), (SystemExit(143), 143)])
def test_a_signal_afterwards_names_them_too(
    world: Project, monkeypatch: pytest.MonkeyPatch, end: BaseException, code: int
) -> None:
    def ends(*_arguments: object) -> None:
        raise end

    monkeypatch.setattr(mutation, "commit", ends)
    begun(world)
    done = world.run("add", "A note.", *CONFIRMED)
    assert done.code == code
    assert done.err.startswith("Interrupted; nothing of its own was written. Before that, ")
    said(done)
    begun(world, "rules/other.md")
    answer = world.run("add", "A note.", *CONFIRMED, "--format", "json")
    assert (answer.data["exit_code"], answer.data["error"]["kind"]) == (code, "interrupted")
    assert answer.data["finished"] == ["docs/memory/rules/other.md"]


@requirement("CUST-14-16")
def test_what_is_taken_back_is_told_in_every_ending(world: Project) -> None:
    path = "docs/memory/rules/left.md"
    unknown = ("--subject", "MC-SUBJ-20260302-00000001", "--facet", "scope")
    for asked, code in ((("add", "A note.", *CONFIRMED), 0), (("add", "x", *CONFIRMED, *unknown), 2)):
        for words in (asked, (*asked, "--format", "json")):
            begun(world)
            next((world.memory / "rules").glob(".*.tmp")).unlink()
            done = world.run(*words)
            assert done.code == code, done
            if "json" in words:
                assert (done.data["finished"], done.data["taken_back"]) == ([], [path])
            else:
                assert done.out.startswith(f"Took back what an earlier command had begun: {path}\n")
            if code:
                assert done.err.endswith(f". Before that, what an earlier command had begun was taken back: {path}\n")


@requirement("CUST-14-15")
def test_who_finds_nothing_begun_says_that_to_programs_alone(world: Project) -> None:
    done = world.run("add", "A note.", *CONFIRMED)
    assert "Finished" not in done.out
    assert world.run("add", "A note more.", *CONFIRMED, "--format", "json").data["finished"] == []
    refused = world.run("add", "x", *CONFIRMED, "--subject", "MC-SUBJ-20260302-00000001", "--facet", "scope")
    assert "Before that" not in refused.err


@requirement("CUST-13.1-20")
def test_a_file_that_is_named_by_the_topic_and_cannot_be_finished_is_not_named(world: Project) -> None:
    begun(world, "rules/alpha.md")
    world.write("rules/alpha.md", "edited\n")
    done = world.run("forget", "alpha", "--mode", "purge", "--apply", "--confirm-plan", "0" * 16)
    assert (done.code, done.out) == (1, "")
    assert "docs/memory/rules/[redacted].md: edited since" in done.err
    assert "alpha" not in done.err.casefold()


@requirement("CUST-13.1-20")
def test_a_file_that_is_named_by_the_topic_is_finished_without_naming_it(world: Project) -> None:
    begun(world, "rules/alpha.md")
    done = world.run("forget", "alpha", "--mode", "purge", "--apply", "--confirm-plan", "0" * 16)
    assert done.code == 2
    assert "docs/memory/rules/[redacted].md" in done.err
    assert "alpha" not in (done.out + done.err).casefold()
