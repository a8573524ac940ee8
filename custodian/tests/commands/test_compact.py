"""`compact` cleans the inbox or brings a file within its budget, previewed and confirmed (§8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_entries import entry
from csbond_tests.custodian_world import Project, plan_id_in, project
from csbond_tests.marks import requirement

WORDS = " ".join(["word"] * 100)
DECISIONS = "# Decisions\n\nEntries are newest first.\n\n" + "\n".join(
    entry("DEC", n, WORDS, title=f"Number {n}") for n in range(9)
)
INBOX = "# Memory Inbox\n\nEntries are newest first.\n\n"


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path, decisions=DECISIONS)


@requirement("CUST-08-02", "CUST-B1.5-01", "CUST-B2.10-02")
def test_the_oldest_decisions_are_archived_with_plan_id_and_agreement(world: Project) -> None:
    before = world.files()
    preview = world.run("compact", "--target", "decisions.md")
    assert preview.code == 0
    assert "Archive entries: 4" in preview.out
    assert preview.out.splitlines()[-1].endswith("--archive-oldest")
    plan = ("--apply", "--confirm-plan", plan_id_in(preview.out))
    assert world.run("compact", "--target", "decisions.md", "--apply", "--archive-oldest").code == 2
    refused = world.run("compact", "--target", "decisions.md", *plan)
    assert (refused.code, refused.err) == (1, "")
    assert world.files() == before
    done = world.run("compact", "--target", "decisions.md", *plan, "--archive-oldest")
    assert (done.code, done.err) == (0, "")
    (archived,) = (world.memory / "archive").glob("decisions-*.md")
    assert archived.read_text(encoding="utf-8").count("## MC-DEC-") == 4
    assert world.text("decisions.md").count("## MC-DEC-") == 5
    assert (world.memory / "archive" / "README.md").exists()
    assert world.run("compact", "--target", "decisions.md").out.splitlines()[-1] == "Status: NEAR LIMIT"


@requirement("CUST-B2.10-01", "CUST-T-20", "CUST-05.3-06")
def test_the_inbox_is_cleaned_of_repetitions_and_nothing_is_promoted(world: Project) -> None:
    candidate = entry("INBOX", 1, "Perhaps tiles.", Candidate_Type="constraint")
    world.write("inbox.md", f"{INBOX}{candidate}\n- fonts\n- Fonts\n")
    done = world.confirmed("compact")
    assert done.code == 0
    assert world.text("inbox.md") == f"{INBOX}{candidate}\n- fonts\n"
    assert "Tiles" not in world.text("constraints.md")
    before = world.files()
    again = world.run("compact", "--format", "json")
    assert (again.code, again.data["state"]) == (0, "nothing-to-do")
    assert "No deterministic inbox changes to apply." in again.data["headline"]
    assert world.files() == before


@requirement("CUST-05.3-09")
def test_a_promoted_candidate_is_kept_in_the_archive(world: Project) -> None:
    promoted = entry("INBOX", 1, "Perhaps tiles.", Status="promoted", Promoted_To="MC-DEC-20260301-00000001")
    world.write("inbox.md", INBOX + promoted)
    assert world.confirmed("compact").code == 0
    assert world.text("inbox.md") == f"{INBOX}No unprocessed memory candidates.\n"
    (archived,) = (world.memory / "archive").glob("inbox-*.md")
    assert archived.read_text(encoding="utf-8").endswith(promoted)
    assert "Status: promoted" in archived.read_text(encoding="utf-8")


@requirement("CUST-B2.10-02")
def test_a_kept_long_decision_refuses_the_archiving(world: Project) -> None:
    long = entry("DEC", 20, " ".join(["word"] * 130))
    world.write("decisions.md", DECISIONS.replace("newest first.\n\n", f"newest first.\n\n{long}\n"))
    before = world.files()
    preview = world.run("compact", "--target", "decisions.md")
    plan = ("--apply", "--confirm-plan", plan_id_in(preview.out), "--archive-oldest")
    done = world.run("compact", "--target", "decisions.md", *plan)
    assert (done.code, world.files()) == (1, before)
    assert "shorten the kept long decisions" in done.out


def test_a_file_with_crlf_keeps_its_line_ends(world: Project) -> None:
    world.write("inbox.md", f"{INBOX}- fonts\n- fonts\n- tiles\n".replace("\n", "\r\n"))
    assert world.confirmed("compact").code == 0
    assert world.text("inbox.md") == f"{INBOX}- fonts\n- tiles\n".replace("\n", "\r\n")


def test_an_older_project_is_compacted_at_once_with_a_notice(tmp_path: Path) -> None:
    world = project(tmp_path, "0.5", inbox=f"{INBOX}- fonts\n- fonts\n")
    done = world.run("compact", "--apply")
    assert (done.code, done.err) == (0, "")
    assert "memory-custodian migrate" in done.out
    assert world.text("inbox.md") == f"{INBOX}- fonts\n"


@pytest.mark.parametrize(
    "target, ended",
    [
        ("inbox.md", (2, "Error: --target has no budget to keep; accepted: ")),
        ("archive/decisions-2026-01-01.md", (2, "Error: --target")),
        ("preferences.md", (1, "I/O error: preferences.md is missing")),
    ],
)
def test_a_target_that_cannot_be_compacted_is_refused(world: Project, target: str, ended: tuple[int, str]) -> None:
    done = world.run("compact", "--target", target)
    assert (done.code, done.out) == (ended[0], "")
    assert done.err.startswith(ended[1])
