"""What `add` takes as evidence in a project of protocol 0.6."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csbond_tests import custodian_adding
from csbond_tests.custodian_adding import CONFIRMED, entries, refused
from csbond_tests.custodian_world import Project
from csbond_tests.marks import requirement
from memory_custodian.rules.entry import ENTRY_TYPES

world, about = custodian_adding.world, custodian_adding.about


@requirement("CUST-06.1-02")
def test_evidence_may_be_repeated_and_keeps_its_order(world: Project) -> None:
    given = ("pr:#3", "user-confirmed", "issue:#1", "repo:maps.txt@v1", "agent-observed")
    world.done("add", "A note.", *(word for one in given for word in ("--evidence", one)))
    assert entries(world, "inbox.md")[0].evidence == given


@requirement("CUST-06.1-03", "CUST-01-05", "CUST-03-09", "CUST-13.1-03", "CUST-16-09")
@pytest.mark.parametrize("kind", ENTRY_TYPES)
def test_nothing_is_written_that_rests_on_nothing(world: Project, about: tuple[str, ...], kind: str) -> None:
    name = ("--name", "sync") if kind in {"rule", "profile", "area"} else ()
    assert "--evidence is missing" in refused(world, "A note.", "--type", kind, *name, *about, "behavior")


@requirement("CUST-01-06", "CUST-06.1-16", "CUST-05.2-03", "CUST-05.2-04", "CUST-13.1-03", "CUST-13.1-04", "CUST-16-10")
@pytest.mark.parametrize("kind", ["agent-observed", "conversation-unconfirmed"])
def test_what_an_agent_inferred_becomes_no_active_memory(world: Project, about: tuple[str, ...], kind: str) -> None:
    said = refused(world, "A guess.", "--type", "decision", *about, "behavior", "--evidence", kind)
    assert said == (
        f"Error: {kind} evidence cannot create active memory.\n"
        "Use --candidate or provide user-confirmed/source-backed evidence.\n"
    )
    world.done("add", "A guess.", "--type", "decision", *about, "behavior", "--evidence", kind, "--candidate")
    assert entries(world, "decisions.md") == ()
    assert entries(world, "inbox.md")[0].field("Candidate-Type") == "decision"


@requirement("CUST-05.1-03")
def test_legacy_evidence_is_refused(world: Project) -> None:
    assert "written by migration alone" in refused(world, "A note.", "--evidence", "legacy-unverified", *CONFIRMED)


@requirement("CUST-06.1-05", "CUST-06.1-06", "CUST-06.1-07", "CUST-05.1-04", "CUST-16-09")
@pytest.mark.parametrize(
    "evidence", ["repo:/etc/hosts", "doc:C:\\maps.md", "test:../outside.txt", "repo:a b.md", "hearsay", "issue:7"]
)
def test_unsafe_or_unknown_evidence_is_refused(world: Project, evidence: str) -> None:
    assert "accepted: " in refused(world, "A note.", "--evidence", evidence, "--allow-missing-evidence")


@requirement("CUST-06.1-07")
def test_a_link_out_of_the_project_is_no_evidence(world: Project, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("x")
    os.symlink(tmp_path / "outside.txt", world.root / "inside.txt")
    assert "leads outside the project" in refused(world, "A note.", "--evidence", "repo:inside.txt")


@requirement("CUST-06.1-08", "CUST-06.1-09")
def test_evidence_that_is_missing_is_refused_unless_that_is_allowed(world: Project) -> None:
    given = ("--evidence", "repo:maps.txt", "--evidence", "doc:./gone\\maps.md@293b9e6")
    assert "doc:./gone/maps.md@293b9e6: no such file" in refused(world, "A note.", *given)
    world.done("add", "A note.", *given, "--allow-missing-evidence")
    assert entries(world, "inbox.md")[0].evidence == ("repo:maps.txt", "doc:./gone/maps.md@293b9e6")


@requirement("CUST-06.1-10")
def test_issues_and_pull_requests_are_looked_at_in_form_only(world: Project) -> None:
    world.done("add", "A note.", "--evidence", "issue:#999999999", "--evidence", "pr:#0")
