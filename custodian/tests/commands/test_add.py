"""The command `add` in a project of protocol 0.6."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from csbond_tests import custodian_adding
from csbond_tests.custodian_adding import CONFIRMED, entries, refused
from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian.rules.entry_text import parse_entries

ADDED = r"MC-[A-Z]+-[0-9]{8}-[0-9a-f]{8}"


world, about = custodian_adding.world, custodian_adding.about


@requirement("CUST-01-04", "CUST-04.1-01", "CUST-B2.5-03", "CUST-04.2-01", "CUST-16-08")
def test_a_decision_is_written_with_its_id_and_reported(world: Project, about: tuple[str, ...]) -> None:
    out = world.done("add", "Print in grey.", "--type", "decision", *about, "behavior", *CONFIRMED, "--reason", "Ink.")
    (entry,) = entries(world, "decisions.md")
    assert re.fullmatch(r"MC-DEC-[0-9]{8}-[0-9a-f]{8}", entry.id)
    assert entry.bodies == (("Decision", "Print in grey."), ("Reason", "Ink."))
    assert out.startswith(f"Added decision memory to {world.memory}/decisions.md\n")
    assert f"New decision: {entry.id} — Print in grey.\n" in out
    assert "Decision entry budget: 6/120 tokens\n" in out
    assert "Written files: 1\n- docs/memory/decisions.md\n" in out
    assert re.search(r"\nBudget: decisions\.md [0-9]+/800 tokens\n$", out)


@requirement("CUST-04.1-03")
@pytest.mark.parametrize("zone, hours", [("EAST-14", 14), ("WEST+12", -12)])
def test_the_date_of_an_id_is_the_local_date(world: Project, zone: str, hours: int) -> None:
    there = timezone(timedelta(hours=hours))
    days = {f"{datetime.now(there):%Y%m%d}"}
    process = world.spawn("add", "A note.", *CONFIRMED, TZ=zone)
    out, err = process.communicate(timeout=60)
    days.add(f"{datetime.now(there):%Y%m%d}")
    assert (process.returncode, err) == (0, "")
    assert entries(world, "inbox.md")[0].id.split("-")[2] in days, out


@requirement("CUST-04.1-08")
def test_no_option_of_add_gives_an_id(world: Project) -> None:
    said = world.run("add", "--help").out
    assert not re.search(r"--(entry-)?id\b", said)
    done = world.run("add", "A note.", *CONFIRMED, "--id", "MC-INBOX-20260302-00000001")
    assert done.code == 2
    assert "unrecognized arguments: --id" in done.err


@requirement("CUST-06.1-01", "CUST-05.2-07", "CUST-04.2-02", "CUST-04.3-01", "CUST-04.3-02", "CUST-04.3-03")
@pytest.mark.parametrize(
    "options, file, said",
    [
        (("--type", "decision"), "decisions.md", "Decision"),
        (("--type", "decision", "--area", "sync"), "areas/sync.md", "Decision"),
        (("--type", "constraint", "--reason", "So."), "constraints.md", "Constraint"),
        (("--type", "tombstone"), "do-not-use.md", "Rejected"),
        (("--type", "do-not-use", "--area", "sync"), "areas/sync.md", "Rejected"),
        (("--type", "area", "--name", "sync"), "areas/sync.md", "Decision"),
        (("--type", "rule", "--name", "output"), "rules/output.md", "Rule"),
        (("--type", "profile", "--name", "review"), "profiles/review.md", "Profile"),
        (("--type", "preference"), "preferences.md", "Preference"),
        (("--type", "inbox"), "inbox.md", "Statement"),
        ((), "inbox.md", "Statement"),
        (("--type", "decision", "--allow-long"), "decisions.md", "Decision"),
    ],
)
def test_the_options_of_before_still_work(
    world: Project, about: tuple[str, ...], options: tuple[str, ...], file: str, said: str
) -> None:
    facet = "behavior" if "preference" not in options else "workflow"
    world.done("add", "Print in grey.", *options, *about, facet, *CONFIRMED)
    (entry,) = entries(world, file)
    assert entry.bodies[0] == (said, "Print in grey.")
    indexed = f"`{file}`" in world.text("manifest.md")
    assert indexed == (file.partition("/")[0] in {"areas", "rules", "profiles"})


@requirement("CUST-B2.5-04", "CUST-B2.5-03")
def test_a_missing_module_is_made_indexed_and_reported(world: Project) -> None:
    out = world.done("add", "Be brief.", "--type", "rule", "--name", "output", *CONFIRMED)
    assert f"Indexed optional memory in {world.memory}/manifest.md\n" in out
    assert world.text("rules/output.md").startswith("# Rule: Output\n")
    again = world.done("add", "Be kind.", "--type", "rule", "--name", "output", *CONFIRMED)
    assert "Indexed" not in again
    assert [entry.body("Rule") for entry in entries(world, "rules/output.md")] == ["Be kind.", "Be brief."]


@requirement("CUST-06.1-11", "CUST-06.1-13", "CUST-06.1-14", "CUST-05.3-01", "CUST-01-07", "CUST-13.1-04", "CUST-16-11")
def test_a_candidate_goes_to_the_inbox_whatever_its_type(world: Project) -> None:
    out = world.done(
        "add", "Maybe.", "--type", "constraint", "--area", "sync", "--candidate", *CONFIRMED, "--reason", "Ask."
    )
    (entry,) = entries(world, "inbox.md")
    assert (entry.status, entry.field("Candidate-Type"), entry.field("Scope")) == (
        "candidate",
        "constraint",
        "area:sync",
    )
    assert entry.body("Promotion-Requirement") == "Ask."
    assert "Added constraint candidate memory to" in out
    assert not (world.memory / "areas").exists()
    assert "unrecognized arguments" in world.run("add", "x", "--candidate", "--status", "active", *CONFIRMED).err


@requirement("CUST-06.1-15")
def test_a_candidate_counts_in_the_inbox_and_in_no_budget(world: Project) -> None:
    constraints = world.text("constraints.md")
    out = world.done("add", "Maybe.", "--type", "constraint", "--candidate", *CONFIRMED)
    assert "Budget:" not in out
    assert world.text("constraints.md") == constraints
    said = world.run("status").out
    assert re.findall(r"^inbox\.md: .*", said, re.MULTILINE)[0].endswith(", 1 items")
    assert re.findall(r"^constraints\.md: .*", said, re.MULTILINE) == ["constraints.md: OK, 2 tokens/400 max"]


@requirement("CUST-B1.4-02", "CUST-B1.4-01")
def test_entries_stand_newest_first_and_the_empty_inbox_says_nothing_more(world: Project) -> None:
    world.done("add", "First.", *CONFIRMED)
    world.done("add", "Second.", *CONFIRMED)
    assert [entry.title for entry in entries(world, "inbox.md")] == ["Second.", "First."]
    assert world.text("inbox.md").startswith("# Memory Inbox\n\nEntries are newest first.\n\n## MC-INBOX-")
    assert "No unprocessed" not in world.text("inbox.md")


@requirement("CUST-T-17")
@pytest.mark.parametrize(
    "message",
    [
        "## Not a heading\nStatus: superseded\nDecision:\n- no bullet\n```\n## nor this",
        "Note: one\n\n  two  \n",
        "\r\nlines\rof all kinds\n",
        "~~~\nnever closed",
    ],
)
def test_a_message_and_a_reason_come_back_byte_for_byte(world: Project, message: str) -> None:
    world.done("add", "Before.", "--type", "preference", *CONFIRMED)
    world.done("add", message, "--type", "preference", *CONFIRMED, f"--reason={message}")
    world.done("add", "After.", "--type", "preference", *CONFIRMED)
    after, entry, before = entries(world, "preferences.md")
    assert entry.bodies == (("Preference", message), ("Reason", message))
    assert (after.body("Preference"), before.body("Preference")) == ("After.", "Before.")


def test_a_message_comes_back_in_a_file_with_line_ends_of_windows(world: Project) -> None:
    world.write("constraints.md", "# Constraints\r\n\r\n- old\r\n")
    world.done("add", "one\ntwo", "--type", "preference", *CONFIRMED)
    world.write("preferences.md", world.text("preferences.md").replace("\n", "\r\n"))
    world.done("add", "three\nfour", "--type", "preference", *CONFIRMED)
    text = world.text("preferences.md")
    assert text.count("\r\n") == text.count("\n")
    found = parse_entries("preferences.md", text.replace("\r\n", "\n"))
    assert [entry.body("Preference") for entry in found] == ["three\nfour", "one\ntwo"]


@requirement("CUST-P-08", "CUST-11.2-07")
def test_an_entry_beside_bare_bullets_and_the_bullets_are_forgotten_apart(world: Project) -> None:
    world.write("preferences.md", "# Preferences\n\n- Keep maps grey.\n- Keep boats blue.\n")
    world.done("add", "Keep pens red.", "--type", "preference", *CONFIRMED)
    before = world.text("preferences.md")
    assert world.confirmed("forget", "boats").code == 0
    assert world.text("preferences.md") == before.replace("- Keep boats blue.\n", "")
    assert world.confirmed("forget", "pens red").code == 0
    assert world.text("preferences.md") == "# Preferences\n\n- Keep maps grey.\n"


@requirement(
    "CUST-04.4-35",
    "CUST-05.2-10",
    "CUST-06.3-16",
    "CUST-04.4-37",
    "CUST-02-12",
    "CUST-13.1-26",
    "CUST-01-16",
    "CUST-16-24",
)
@pytest.mark.parametrize("message", ["Print in grey.", "Print in blue."])
def test_a_second_active_owner_is_refused_whatever_it_says(
    world: Project, about: tuple[str, ...], message: str
) -> None:
    world.done("add", "Print in grey.", "--type", "decision", *about, "behavior", *CONFIRMED)
    (owner,) = entries(world, "decisions.md")
    said = refused(world, message, "--type", "constraint", *about, "behavior", *CONFIRMED)
    assert "Active structural owner already exists" in said
    assert owner.id in said
    world.done("add", message, "--type", "constraint", *about, "security", *CONFIRMED)


@requirement("CUST-06.3-17")
def test_a_narrower_scope_is_allowed_with_a_warning(world: Project, about: tuple[str, ...]) -> None:
    world.done("add", "Print in grey.", "--type", "decision", *about, "behavior", *CONFIRMED)
    out = world.done("add", "Colour here.", "--type", "decision", "--area", "art", *about, "behavior", *CONFIRMED)
    assert "Warning: MC-DEC-" in out
    assert "no recorded exception" in out


@requirement("CUST-06.3-14", "CUST-06.3-15", "CUST-04.4-28", "CUST-01-15", "CUST-05.2-08", "CUST-05.2-09", "CUST-16-23")
def test_subject_and_facet_are_needed_and_judged(world: Project, about: tuple[str, ...]) -> None:
    decision = ("x", "--type", "decision", *CONFIRMED)
    assert "requires both --subject" in refused(world, *decision)
    assert "requires both --subject" in refused(world, *decision, *about[:2])
    assert "no display name" in refused(world, *decision, "--subject", "Map printing", "--facet", "behavior")
    unknown = ("--subject", "MC-SUBJ-20260301-00000000", "--facet", "behavior")
    assert "is not defined in subjects.md" in refused(world, *decision, *unknown)
    assert "Facet 'made-up' is not valid" in refused(world, *decision, *about, "made-up")
    tombstone = ("x", "--type", "tombstone", *CONFIRMED)
    said = refused(world, *tombstone, *about, "lifecycle")
    assert "it accepts: adoption-policy" in said
    world.write("subjects.md", world.text("subjects.md").replace("Status: active", "Status: merged"))
    assert "is not active" in refused(world, *decision, *about, "behavior")


@requirement("CUST-04.4-23", "CUST-02-06")
def test_add_writes_what_it_was_told_and_makes_no_subject(world: Project) -> None:
    before = world.files()
    world.done("add", "The storage seems to be dependency:pypi:library-x.", "--type", "preference", *CONFIRMED)
    changed = {path for path, text in world.files().items() if before.get(path) != text}
    assert changed == {"docs/memory/preferences.md"}


@requirement("CUST-B2.5-02", "CUST-T-11")
def test_a_decision_over_its_budget_is_not_added_unless_that_is_allowed(world: Project, about: tuple[str, ...]) -> None:
    before = world.files()
    decision = ("add", "word " * 121, "--type", "decision", *about, "behavior", *CONFIRMED)
    done = world.run(*decision)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("Decision entry budget: 121/120 tokens\nNot added: shorten Decision")
    assert world.files() == before
    assert world.run(*decision, "--format", "json").data["state"] == "refused"
    out = world.done(*decision, "--allow-long")
    assert "Warning: explicitly allowed long decision" in out
    assert len(entries(world, "decisions.md")) == 1


@requirement("CUST-B2.5-03", "CUST-B5.9-03")
def test_near_the_limit_of_a_file_add_shows_a_maintenance_preview(world: Project, about: tuple[str, ...]) -> None:
    world.write("constraints.md", "# Constraints\n\n- " + "word " * 330 + "\n")
    before = world.files()
    out = world.done("add", "Work offline.", "--type", "constraint", *about, "behavior", *CONFIRMED)
    assert "State: NEAR LIMIT\n" in out
    assert "Generating maintenance preview\nMaintenance preview (dry run; no files changed)\n" in out
    assert out.endswith(f"Run: memory-custodian compact --target constraints.md --project-root {world.root}\n")
    assert {path for path, text in world.files().items() if before.get(path) != text} == {"docs/memory/constraints.md"}
    over = world.done("add", "word " * 60, "--type", "constraint", *about, "security", *CONFIRMED)
    assert "Warning: constraints.md is over its context budget" in over


@requirement("CUST-10.3-09")
@pytest.mark.parametrize("place", ["message", "reason"])
def test_a_secret_is_not_written_and_not_repeated(world: Project, place: str) -> None:
    secret = "ghp_" + "a1b2c3d4e5" * 3
    message, reason = (secret, "x") if place == "message" else ("x", secret)
    said = refused(world, f"Use {message}", "--reason", reason, *CONFIRMED)
    assert secret not in said
    assert "secret" in said


@requirement("CUST-10.3-09")
def test_a_doubtful_secret_is_written_only_when_it_is_said_to_be_none(world: Project) -> None:
    message = "The page says password=" + "hunter77"
    said = refused(world, message, *CONFIRMED)
    assert "--allow-doubtful-secret" in said
    assert "hunter77" not in said
    done = world.done("add", message, *CONFIRMED, "--allow-doubtful-secret")
    assert "Warning: MESSAGE may hold something" in done
    assert "hunter77" not in done
    assert message in world.text("inbox.md")


@requirement("CUST-10.3-09")
def test_what_is_private_is_warned_of_and_written(world: Project) -> None:
    assert "machine-path" in world.done("add", "Maps lie in /home/" + "mirabel/maps", *CONFIRMED)


def test_json_tells_the_same(world: Project) -> None:
    data = world.run("add", "A note.", *CONFIRMED, "--format", "json").data
    (entry,) = entries(world, "inbox.md")
    assert (data["state"], data["entry_id"], data["file"]) == ("applied", entry.id, "inbox.md")
    assert data["written"] == ["docs/memory/inbox.md"]


@requirement("CUST-05.2-11", "CUST-04.1-06")
def test_many_entries_have_ids_of_their_own(world: Project) -> None:
    for number in range(12):
        world.done("add", f"Note {number}.", *CONFIRMED)
    ids = [entry.id for entry in entries(world, "inbox.md")]
    assert len(set(ids)) == 12
    assert all(re.fullmatch(ADDED, entry_id) for entry_id in ids)


def test_a_file_that_would_swallow_the_entry_is_refused_by_its_line(world: Project) -> None:
    world.write("inbox.md", "# Memory Inbox\n\n```\nnever closed\n")
    assert "inbox.md: no place for a new entry, because the code fence that opens in line 3" in refused(
        world, "## x", *CONFIRMED
    )


def test_without_a_memory_directory_nothing_is_made(tmp_path: Path) -> None:
    world = project(tmp_path, "none")
    done = world.run("add", "A note.", *CONFIRMED)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("I/O error: ")
    assert world.files() == {}
