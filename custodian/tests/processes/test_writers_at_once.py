"""Processes that write at once lose nothing (§§7.4, 13.2)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Done, Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.parse_blocks import parse


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


def ended(process: subprocess.Popen[str]) -> Done:
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, out, err)


def subject_of(world: Project) -> str:
    done = world.confirmed("subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed")
    return done.out.partition("New Subject: ")[2].split()[0]


def decision(text: str, subject_id: str, facet: str) -> tuple[str, ...]:
    words = ("add", text, "--type", "decision", "--evidence", "user-confirmed")
    return (*words, "--subject", subject_id, "--facet", facet)


def statements(world: Project, file: str = "inbox.md") -> list[str]:
    """The texts of the entries of a file."""
    return [text for entry in parse_entries(file, world.text(file)) for _, text in entry.bodies[:1]]


def judge(world: Project, asked: dict[str, Done], kept: list[str]) -> None:
    """Each success is present once, each failure says lock time-out, and nothing else is there or left."""
    done = {text for text, answer in asked.items() if answer.code == 0}
    assert sorted(kept) == sorted(done)
    for text in set(asked) - done:
        assert asked[text].code == 1
        assert asked[text].err.startswith("I/O error: Timed out waiting for mutation lock")
    for path in world.files():
        assert not path.endswith(".tmp")
    assert not list(world.state.rglob("*.lock"))
    checked = world.run("check")
    assert checked.code == 0, checked.out


@requirement("CUST-01-08", "CUST-07.4-01", "CUST-07.4-02", "CUST-07.4-03", "CUST-07.4-04", "CUST-13.2-01", "CUST-16-12")
@pytest.mark.parametrize("turn", range(3))
def test_two_decisions_at_once_both_remain(world: Project, turn: int) -> None:
    subject_id = subject_of(world)
    texts = {"Decision A": "behavior", "Decision B": "workflow"}
    running = {text: world.spawn(*decision(text, subject_id, facet)) for text, facet in texts.items()}
    judge(world, {text: ended(process) for text, process in running.items()}, statements(world, "decisions.md"))


@requirement("CUST-07.4-02", "CUST-01-08")
def test_of_two_owners_of_one_identity_at_once_one_is_refused(world: Project) -> None:
    """The conflict is judged on what is read under the lock, so it is not missed either."""
    subject_id = subject_of(world)
    running = [world.spawn(*decision(text, subject_id, "behavior")) for text in ("Decision A", "Decision B")]
    answers = [ended(process) for process in running]
    assert sorted(answer.code for answer in answers) == [0, 2]
    assert "Active structural owner already exists" in next(answer.err for answer in answers if answer.code)
    assert len(statements(world, "decisions.md")) == 1


@requirement("CUST-P-04", "CUST-07.4-01", "CUST-07.4-03", "CUST-07.4-04")
@pytest.mark.parametrize("seconds", ["60", "0.5"])
def test_of_fifty_adds_at_once_each_success_is_present_and_each_failure_says_time_out(
    world: Project, seconds: str
) -> None:
    texts = [f"Note {number}" for number in range(50)]
    more = ("--evidence", "user-confirmed", "--lock-timeout", seconds)
    running = {text: world.spawn("add", text, *more) for text in texts}
    answers = {text: ended(process) for text, process in running.items()}
    judge(world, answers, statements(world))
    if seconds == "60":
        assert [answer.code for answer in answers.values()] == [0] * 50


@requirement("CUST-08.2-07", "CUST-07.4-02")
def test_adds_at_once_in_an_older_project_all_remain(tmp_path: Path) -> None:
    world = project(tmp_path, protocol="0.5")
    running = [world.spawn("add", f"Note {number}", "--type", "constraint") for number in range(8)]
    assert [ended(process).code for process in running] == [0] * 8
    kept = [block.text for block in parse(world.text("constraints.md")) if block.kind == "bullet"]
    assert sorted(text.strip() for text in kept) == [f"- Note {number}" for number in range(8)]


@requirement("CUST-13.2-02", "CUST-07.4-03", "CUST-01-08", "CUST-16-12")
@pytest.mark.parametrize("turn", range(3))
def test_add_and_compact_at_once_lose_nothing(world: Project, turn: int) -> None:
    world.write("inbox.md", "# Memory Inbox\n\nEntries are newest first.\n\n## 2026-03-01\n- twice\n- twice\n- once\n")
    plan = plan_id_in(world.done("compact"))
    compact = world.spawn("compact", "--apply", "--confirm-plan", plan)
    add = world.spawn("add", "A late thought", "--evidence", "user-confirmed")
    compacted, added = ended(compact), ended(add)
    assert added.code == 0, added
    assert statements(world) == ["A late thought"]
    inbox = world.text("inbox.md")
    assert inbox.count("- once\n") == 1
    if compacted.code:
        assert compacted.code == 2
        assert "does not match" in compacted.err
    assert inbox.count("- twice\n") == (2 if compacted.code else 1)
    assert not list(world.state.rglob("*.lock"))


@requirement("CUST-13.2-03", "CUST-01-09", "CUST-08.2-04")
def test_forget_is_refused_when_another_process_wrote_since_its_preview(world: Project) -> None:
    world.write("preferences.md", "# Preferences\n\nHow we like it.\n\n- Tabs over spaces\n")
    preview = world.run("forget", "Tabs over spaces")
    added = ended(world.spawn("add", "Tabs over spaces in maps", "--evidence", "user-confirmed"))
    assert added.code == 0
    before = world.files()
    command = ("forget", "Tabs over spaces", "--apply", "--allow-broad-match", "--confirm-plan")
    refused = ended(world.spawn(*command, plan_id_in(preview.out)))
    assert refused.code == 2
    assert refused.err.startswith("Error: --confirm-plan ")
    assert "Matched units: 2" in refused.out
    assert plan_id_in(refused.out) != plan_id_in(preview.out)
    assert world.files() == before
    assert ended(world.spawn(*command, plan_id_in(refused.out))).code == 0
    assert "Tabs over spaces" not in world.text("preferences.md") + world.text("inbox.md")


@requirement("CUST-13.2-04", "CUST-08.2-03", "CUST-16-14")
def test_an_old_plan_id_writes_nothing_in_another_process(world: Project) -> None:
    asked = ("subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed")
    old = plan_id_in(ended(world.spawn(*asked)).out)
    assert ended(world.spawn(*asked, "--apply", "--confirm-plan", old)).code == 0
    before = world.files()
    again = ended(world.spawn(*asked, "--apply", "--confirm-plan", old))
    assert again.code == 2
    assert "belongs to MC-SUBJ-" in again.err
    other = ended(world.spawn("subject", "add", "Charts", *asked[3:], "--apply", "--confirm-plan", old))
    assert other.code == 2
    assert "does not match" in other.err
    assert world.files() == before
