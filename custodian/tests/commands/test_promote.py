"""The command `promote`."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_adding import CONFIRMED, subject_options
from csbond_tests.custodian_world import Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.rules.entry_text import parse_entries


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


def candidate(world: Project, message: str, *options: str) -> str:
    """Add a candidate, and return its ID."""
    world.done("add", message, "--candidate", "--evidence", "agent-observed", *options)
    return parse_entries("inbox.md", world.text("inbox.md"))[0].id


def subject(world: Project) -> tuple[str, ...]:
    """Make a Subject, and return the options that name it with a facet."""
    return (*subject_options(world), "behavior")


@requirement("CUST-05.3-07", "CUST-05.3-08")
def test_a_promotion_is_previewed_and_applied_as_one_plan(world: Project) -> None:
    entry_id = candidate(world, "## Maps: grey", "--type", "constraint", *subject(world))
    before = world.files()
    preview = world.run("promote", entry_id, *CONFIRMED)
    assert (preview.code, preview.err) == (0, "")
    assert f"memory-custodian promote --evidence user-confirmed {entry_id}" in preview.out
    assert world.run("promote", entry_id, *CONFIRMED, "--apply").code == 2
    assert world.run("promote", entry_id, *CONFIRMED, "--apply", "--confirm-plan", "0" * 16).code == 2
    assert world.files() == before
    done = world.run("promote", entry_id, *CONFIRMED, "--apply", "--confirm-plan", plan_id_in(preview.out))
    assert (done.code, done.err) == (0, "")
    (made,) = parse_entries("constraints.md", world.text("constraints.md"))
    assert (made.status, made.body("Constraint"), made.evidence) == ("active", "## Maps: grey", ("user-confirmed",))
    assert made.id in preview.out
    (old,) = parse_entries("inbox.md", world.text("inbox.md"))
    assert (old.id, old.status, old.field("Promoted-To")) == (entry_id, "promoted", made.id)
    assert "- docs/memory/constraints.md\n- docs/memory/inbox.md\n" in done.out


@requirement("CUST-05.3-11")
def test_a_promoted_candidate_is_refused_with_what_it_became(world: Project) -> None:
    entry_id = candidate(world, "Be brief.", "--type", "preference")
    assert world.confirmed("promote", entry_id, *CONFIRMED).code == 0
    (made,) = parse_entries("preferences.md", world.text("preferences.md"))
    before = world.files()
    for wrong, said in ((entry_id, f"already promoted to {made.id}"), (made.id, "accepted: a candidate in inbox.md")):
        done = world.run("promote", wrong, *CONFIRMED)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
    assert world.files() == before


@requirement("CUST-05.3-10", "CUST-05.1-03", "CUST-10.3-09")
@pytest.mark.parametrize(
    "options, said",
    [
        ((), "--evidence is missing"),
        (("--evidence", "agent-observed"), "cannot create active memory"),
        (("--evidence", "legacy-unverified"), "written by migration alone"),
        (("--evidence", "repo:gone.md"), "no such file"),
        (("--evidence", "user-confirmed"), "requires both --subject"),
        (("--evidence", "user-confirmed", "--type", "rule"), "requires --name"),
        (("--evidence", "user-confirmed", "--message", "ghp_" + "a1b2c3d4e5" * 3), "looks like it holds a secret"),
        (("--evidence", "user-confirmed", "--message", "password=" + "hunter77"), "--allow-doubtful-secret"),
    ],
)
def test_a_promotion_passes_every_rule_of_an_active_entry(world: Project, options: tuple[str, ...], said: str) -> None:
    entry_id = candidate(world, "Maps are grey.", "--type", "decision")
    before = world.files()
    done = world.run("promote", entry_id, *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "ghp_" not in done.err
    assert "hunter77" not in done.err
    assert world.files() == before


@requirement("CUST-10.3-09")
def test_a_doubtful_secret_is_promoted_by_the_command_that_the_preview_prints(world: Project) -> None:
    entry_id = candidate(world, "x", "--type", "preference")
    options = (*CONFIRMED, "--message", "password=" + "hunter77", "--allow-doubtful-secret")
    assert "--allow-doubtful-secret" in world.done("promote", entry_id, *options).split("Apply with:")[1]
    assert world.confirmed("promote", entry_id, *options).code == 0
    assert "hunter77" in world.text("preferences.md")


def test_the_command_of_a_preview_can_be_run_as_it_is_printed(world: Project) -> None:
    import shlex

    entry_id = candidate(world, "x")
    options = ("--type", "rule", "--name", "output", "--message=-- dashes", "--evidence", "repo:gone.md")
    preview = world.run("promote", entry_id, *options, "--allow-missing-evidence", "--reason", "it's so")
    assert preview.code == 0, preview
    line = next(line for line in preview.out.split("\n") if line.startswith("  memory-custodian promote"))
    words = shlex.split(line)[1:]
    at = words.index("--project-root")
    done = world.run(*words[:at], *words[at + 2 :])
    assert (done.code, done.err) == (0, "")
    (made,) = parse_entries("rules/output.md", world.text("rules/output.md"))
    assert made.bodies == (("Rule", "-- dashes"), ("Reason", "it's so"))
    assert made.evidence == ("repo:gone.md",)


def test_a_project_of_before_has_no_candidates_to_promote(tmp_path: Path) -> None:
    done = project(tmp_path, "0.5").run("promote", "MC-INBOX-20260301-00000007", *CONFIRMED)
    assert done.code == 2
    assert "migrate" in done.err


@requirement("CUST-05.3-07", "CUST-06.2-06")
def test_a_promotion_replaces_the_owner_of_its_identity_in_the_same_plan(world: Project) -> None:
    about = subject(world)
    world.done("add", "Maps are black.", "--type", "constraint", *CONFIRMED, *about)
    (owner,) = parse_entries("constraints.md", world.text("constraints.md"))
    entry_id = candidate(world, "Maps are grey.", "--type", "constraint", *about)
    refused = world.run("promote", entry_id, *CONFIRMED)
    assert (refused.code, refused.out) == (2, "")
    assert f"Replace it with --supersedes {owner.id}" in refused.err
    replacing = ("promote", entry_id, *CONFIRMED, "--supersedes", owner.id)
    preview = world.done(*replacing)
    assert f"--supersedes {owner.id}" in preview.split("Apply with:")[1]
    done = world.confirmed(*replacing)
    assert (done.code, done.err) == (0, "")
    made, old = parse_entries("constraints.md", world.text("constraints.md"))
    assert (made.status, made.field("Supersedes")) == ("active", owner.id)
    assert (old.id, old.status, old.field("Superseded-By")) == (owner.id, "superseded", made.id)
    (left,) = parse_entries("inbox.md", world.text("inbox.md"))
    assert (left.status, left.field("Promoted-To")) == ("promoted", made.id)
    assert "references missing" not in world.run("check").out
    assert "non-reciprocal" not in world.run("check").out


@requirement("CUST-05.3-10")
def test_a_candidate_of_an_area_is_promoted_to_the_whole_project_on_request(world: Project) -> None:
    entry_id = candidate(world, "Be brief.", "--type", "preference", "--area", "print")
    done = world.confirmed("promote", entry_id, *CONFIRMED, "--scope", "project")
    assert (done.code, done.err) == (0, "")
    (made,) = parse_entries("preferences.md", world.text("preferences.md"))
    assert (made.field("Scope"), made.body("Preference")) == ("project", "Be brief.")


@pytest.mark.parametrize("options", [("--area", "sync"), ("--type", "area")])
def test_the_whole_project_and_an_area_do_not_go_together(world: Project, options: tuple[str, ...]) -> None:
    entry_id = candidate(world, "Be brief.", "--type", "preference", "--area", "print")
    done = world.run("promote", entry_id, *CONFIRMED, "--scope", "project", *options)
    assert (done.code, done.out) == (2, "")
    assert f"--scope project does not go with {' '.join(options).removesuffix(' sync')}" in done.err


def test_a_promotion_of_a_long_decision_names_an_option_that_it_has(world: Project) -> None:
    entry_id = candidate(world, "grey maps " * 80, "--type", "decision", *subject(world))
    asked = ("promote", entry_id, *CONFIRMED)
    assert "--allow-long" in world.done(*asked)
    done = world.confirmed(*asked, "--allow-long")
    assert (done.code, done.err) == (0, "")


def test_what_nobody_confirmed_is_refused_with_the_ways_of_promote(world: Project) -> None:
    entry_id = candidate(world, "Be brief.", "--type", "preference")
    done = world.run("promote", entry_id, "--evidence", "agent-observed")
    assert "--candidate" not in done.err
    assert "leave the candidate in the inbox" in done.err
