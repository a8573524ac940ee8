"""`forget` is previewed, confirmed, and says what it reached and what it did not (§§8, 10.3, 14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_entries import entry
from csbond_tests.custodian_world import Done, Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.rules.parse_blocks import APART

DECISIONS = (
    f"# Decisions\n\nEntries are newest first.\n\n{entry('DEC', 1, 'Send events through Kafka.')}\n{entry('DEC', 2)}"
)
PROMISES = ("permanent", "everywhere", "fully", "completely", "erased from", "irreversibl", "deleted from all")
MODES = ["soft", "hard", "purge"]


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path, decisions=DECISIONS, changelog="# Memory Changelog\n\nEntries are newest first.\n")


def applied(world: Project, *arguments: str) -> Done:
    return world.confirmed("forget", *arguments)


@requirement("CUST-08-01")
@pytest.mark.parametrize("mode", MODES)
def test_a_forgetting_is_previewed_with_a_plan_id_and_made_with_it(world: Project, mode: str) -> None:
    before = world.files()
    preview = world.run("forget", "kafka", "--mode", mode)
    assert preview.code == 0
    assert world.files() == before
    refused = world.run("forget", "kafka", "--mode", mode, "--apply")
    assert (refused.code, world.files()) == (2, before)
    done = world.run("forget", "kafka", "--mode", mode, "--apply", "--confirm-plan", plan_id_in(preview.out))
    assert (done.code, done.err) == (0, "")
    assert "Kafka" not in world.text("decisions.md")
    assert "- docs/memory/decisions.md" in done.out


@requirement("CUST-10.3-15", "CUST-10.3-16", "CUST-01-19", "CUST-01-21", "CUST-14-07", "CUST-13.1-18", "CUST-16-29")
@pytest.mark.parametrize("mode", MODES)
def test_preview_and_report_say_what_was_reached_and_that_history_and_copies_were_not(
    world: Project, mode: str
) -> None:
    preview = world.done("forget", "kafka", "--mode", mode)
    report = applied(world, "kafka", "--mode", mode).out
    scope = [
        "Removal scope:",
        "- Active managed memory: yes",
        f"- Managed archive: {'yes' if mode == 'purge' else 'no'}",
        f"- New tombstones/logs retain topic: {'yes' if mode == 'soft' else 'no'}",
        "- Local overlay: not applicable",
        "- Git working tree modified: on apply, without index or commit",
        "- Git history modified: no",
        "- Existing clones, forks and backups revoked: no",
        "- History inspection: not requested",
    ]
    assert "\n".join(scope) in preview
    assert "\n".join(scope) in report
    assert report.endswith(
        "Removed from the selected managed memory scope.\n"
        "Git history and previously distributed copies were not modified.\n"
    )


@requirement("CUST-10.3-16", "CUST-01-21", "CUST-14-07")
def test_a_topic_that_nothing_holds_is_not_said_to_be_removed(world: Project) -> None:
    report = applied(world, "quokka").out
    assert "quokka" in world.text("do-not-use.md")
    assert "Removed from" not in report
    assert "- docs/memory/do-not-use.md\n" in report
    assert "- Active managed memory: yes\n" in report
    assert report.splitlines()[-2].startswith("Nothing in the selected managed memory scope matched, so nothing was ")


@requirement("CUST-10.3-08", "CUST-02-15", "CUST-01-20", "CUST-13.1-18", "CUST-13.1-19", "CUST-16-31")
@pytest.mark.parametrize("mode", MODES)
def test_no_output_promises_more_than_the_managed_memory(world: Project, mode: str) -> None:
    said = world.done("forget", "kafka", "--mode", mode) + applied(world, "kafka", "--mode", mode).out
    said += world.run("forget", "--help").out
    assert not [promise for promise in PROMISES if promise in said.casefold()]


@requirement("CUST-14-06", "CUST-10.3-12")
@pytest.mark.parametrize("mode", MODES)
def test_programs_get_the_same_model_before_and_after(world: Project, mode: str) -> None:
    asked = ("forget", "kafka", "--mode", mode, "--format", "json")
    preview = world.run(*asked)
    report = world.confirmed(*asked)
    assert (preview.data["state"], report.data["state"]) == ("preview", "applied")
    for data in (preview.data, report.data):
        assert data["plan"]["removal_scope"] == {
            "active_memory": True,
            "managed_archive": mode == "purge",
            "topic_retained_in_new_records": mode == "soft",
            "git_worktree_modified": "on-apply",
            "local_overlay": "not-applicable",
            "git_history_modified": False,
            "distributed_copies_revoked": False,
            "history_check_status": "not-requested",
            "removes_matches": True,
        }


@requirement("CUST-14-06")
@pytest.mark.parametrize("mode", MODES)
def test_people_and_programs_see_what_goes_with_a_match(world: Project, mode: str) -> None:
    world.write("preferences.md", "# Preferences\n\n- No quokka\n  - and nothing like it\n")
    shown = f"- preferences.md: {'No quokka' if mode == 'soft' else 'bullet'} (lines 3–4)"
    assert f"\n{shown}\n" in world.done("forget", "quokka", "--mode", mode)
    assert shown in world.run("forget", "quokka", "--mode", mode, "--format", "json").data["headline"]


@requirement("CUST-13.1-20")
@pytest.mark.parametrize("mode", ["hard", "purge"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_topic_of_hard_or_purge_is_in_no_output_and_no_error(world: Project, mode: str, form: str) -> None:
    world.write("areas/quokka.md", "# Area: Quokka\n\nAbout the quokka.\n\n- quokka\n")
    world.write("inbox.md", "# Memory Inbox\n\n- the Quokka rule\n- others\n")
    asked = ("forget", "quokka", "--mode", mode, "--format", form)
    blocked = world.run(*asked)
    outputs = [blocked, world.run(*asked, "--apply"), world.run(*asked, "--apply", "--confirm-plan", "0" * 16)]
    outputs.append(world.run(*asked, "--apply", "--confirm-plan", plan_id_in(blocked.out), "--allow-broad-match"))
    (world.memory / "areas" / "quokka.md").unlink()
    outputs.append(world.confirmed(*asked))
    outputs.append(world.run(*asked))
    assert [done.code for done in outputs] == [0, 2, 2, 1, 0, 0]
    assert not [done for done in outputs if "quokka" in (done.out + done.err).casefold()]
    assert not [file for file, raw in world.files().items() if b"quokka" in raw.lower()]
    assert not [path for path in world.state.rglob("*") if path.is_file() and b"quokka" in path.read_bytes().lower()]


@requirement("CUST-B2.9-02")
@pytest.mark.parametrize("mode", MODES)
def test_an_apply_over_a_blocker_is_refused_whatever_is_agreed_to(world: Project, mode: str) -> None:
    world.write("brief.md", "# Project Brief\n\nLantern sends events through Kafka.\n")
    before = world.files()
    asked = ("forget", "kafka", "--mode", mode)
    preview = world.run(*asked)
    assert preview.code == 0
    assert "- brief.md: body contains matching content" in preview.out
    done = world.run(*asked, "--apply", "--confirm-plan", plan_id_in(preview.out), "--allow-broad-match")
    assert (done.code, done.err, world.files()) == (1, "", before)
    assert "Refusing apply" in done.out


@requirement("CUST-B2.9-03")
def test_a_broad_match_is_made_only_when_agreed_to_and_the_preview_says_how(world: Project) -> None:
    world.write("preferences.md", "# Preferences\n\n- no kafka\n")
    before = world.files()
    preview = world.run("forget", "kafka")
    plan = ("--apply", "--confirm-plan", plan_id_in(preview.out))
    assert "--allow-broad-match" in preview.out.splitlines()[-1]
    refused = world.run("forget", "kafka", *plan)
    assert (refused.code, world.files()) == (1, before)
    done = world.run("forget", "kafka", *plan, "--allow-broad-match")
    assert done.code == 0
    assert "kafka" not in world.text("preferences.md")


@requirement("CUST-10.3-06", "CUST-02-14", "CUST-16-30")
@pytest.mark.parametrize("mode", MODES)
def test_the_repository_around_the_memory_is_never_touched(world: Project, mode: str) -> None:
    git = world.root / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    for name, text in {"HEAD": "ref: refs/heads/main\n", "index": "DIRC", "refs/heads/main": "0" * 40}.items():
        (git / name).write_text(text, encoding="utf-8")
    before = {name: raw for name, raw in world.files().items() if name.startswith(".git/")}
    stamps = {path: path.stat().st_mtime_ns for path in git.rglob("*")}
    assert applied(world, "kafka", "--mode", mode).code == 0
    assert {name: raw for name, raw in world.files().items() if name.startswith(".git/")} == before
    assert {path: path.stat().st_mtime_ns for path in git.rglob("*")} == stamps


@requirement("CUST-T-05")
def test_the_same_soft_forgetting_again_has_nothing_to_do(world: Project) -> None:
    assert applied(world, "kafka").code == 0
    before = world.files()
    again = world.run("forget", "Kafka", "--format", "json")
    assert (again.code, again.data["state"]) == (0, "nothing-to-do")
    assert world.files() == before


def test_a_topic_that_looks_like_an_option_can_be_forgotten_as_printed(world: Project) -> None:
    world.write("preferences.md", "# Preferences\n\n- never --force-push\n- short\n")
    preview = world.run("forget", "--", "--force-push")
    assert preview.code == 0
    command = preview.out.splitlines()[-1]
    assert command.strip().endswith("-- --force-push")
    done = world.run("forget", "--apply", "--confirm-plan", plan_id_in(preview.out), "--", "--force-push")
    assert done.code == 0
    assert world.text("preferences.md") == "# Preferences\n\n- short\n"


def test_an_older_project_applies_at_once_with_a_notice(tmp_path: Path) -> None:
    world = project(tmp_path, "0.5", constraints="# Constraints\n\n- No Kafka.\n- Paper only.\n")
    done = world.run("forget", "kafka", "--apply")
    assert (done.code, done.err) == (0, "")
    assert "memory-custodian migrate" in done.out
    assert world.text("constraints.md") == "# Constraints\n\n- Paper only.\n"
    assert "## Tombstone: kafka" in world.text("do-not-use.md")


def test_bad_input_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    nothing = project(tmp_path, "none")
    missing = nothing.run("forget", "kafka")
    assert (missing.code, missing.out, nothing.files()) == (1, "", {})
    assert missing.err.startswith("I/O error: docs/memory")
    world = project(tmp_path / "other")
    empty = world.run("forget", " ")
    assert (empty.code, empty.out) == (2, "")
    assert empty.err.startswith("Error: TOPIC is empty")


@requirement("CUST-P-08", "CUST-14-07")
@pytest.mark.parametrize(
    "below",
    ["- beta item\n - delta item", "-\tbeta", "1. beta", "---", "| beta | row |", "<!-- keep me -->", "### Evening"],
)
def test_forgetting_a_bullet_leaves_what_stands_directly_below_it(world: Project, below: str) -> None:
    world.write("constraints.md", f"# Constraints\n\n- alpha item\n{below}\n- gamma item\n")
    applied(world, "alpha item")
    assert world.text("constraints.md") == f"# Constraints\n\n{below}\n- gamma item\n"


@requirement("CUST-P-08")
@pytest.mark.parametrize(
    "above, below",
    [("* keep\n", "\n  ~~~text\n- gamma item\n~~~\n"), ("* keep\n", "  - beta item\n"), ("", " - beta\n")],
)
def test_forgetting_a_bullet_sets_apart_what_would_become_a_part_of_another(
    world: Project, above: str, below: str
) -> None:
    world.write("constraints.md", f"# Constraints\n\n{above}-   alpha item\n{below}")
    applied(world, "alpha item")
    parts = ("# Constraints", above.strip(), APART, below.strip("\n"))
    assert world.text("constraints.md") == "\n\n".join(part for part in parts if part) + "\n"


@requirement("CUST-P-08")
def test_forgetting_an_entry_leaves_the_bullets_below_it_in_force_whatever_stands_above(world: Project) -> None:
    active, old = entry("CON", 3, "Gamma holds."), entry("CON", 1, "Old.").replace("active", "superseded")
    gone = entry("CON", 2, "Beta goes.")
    world.write("constraints.md", f"# Constraints\n\n{active}\n{old}\n{gone}\n- bare one\n- bare two\n")
    task = ("read", "--task", "implementation")
    assert "- bare one\n- bare two" in world.done(*task)
    applied(world, "Beta goes")
    assert f"{APART}\n\n- bare one\n- bare two\n" in world.text("constraints.md")
    told = world.done(*task)
    assert "- bare one\n- bare two" in told
    assert "Old." not in told
