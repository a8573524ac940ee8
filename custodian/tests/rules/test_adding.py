"""The plan of `add` in a project of protocol 0.6."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from csbond_tests.custodian_world import PROJECT_ID, FixedDraws, project
from csbond_tests.marks import requirement
from memory_custodian.rules import adding, memory_index
from memory_custodian.rules.adding import plan_add
from memory_custodian.rules.admission import AddRequest
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.parse_blocks import APART
from memory_custodian.rules.plan_identity import plan_id
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

SUBJECT = "MC-SUBJ-20260301-aa11bb22"
SUBJECTS = f"# Subjects\n\n## {SUBJECT} — Maps\n\nStatus: active\nKind: concept\nEvidence:\n- user-confirmed\n"
REQUEST = AddRequest("Print in grey.", "decision", evidence=(Evidence("pr", "1"),), subject=SUBJECT, facet="behavior")
OLD = "MC-DEC-20260101-00000009"
OWNED = (
    f"# Decisions\n\n## {OLD} — x\n\nStatus: active\nScope: project\nSubject: {SUBJECT}\nFacet: behavior\n"
    "Evidence:\n- pr:#1\n\nDecision:\nx\n"
)


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    world = project(tmp_path, subjects=SUBJECTS)
    texts = {path.name: world.text(path.name) for path in sorted(world.memory.iterdir())}
    return Snapshot("docs/memory", texts)


def with_text(snapshot: Snapshot, file: str, text: str) -> Snapshot:
    """The same with another file."""
    return snapshot._replace(texts={**snapshot.texts, file: text})


@requirement("CUST-04.2-01", "CUST-01-04")
def test_the_plan_says_what_is_written_and_under_which_id(snapshot: Snapshot) -> None:
    plan = plan_add(snapshot, REQUEST, FixedDraws())
    assert (plan.command, plan.project_id, plan.protocol_version) == ("add", PROJECT_ID, "0.6")
    assert plan.created == ("MC-DEC-20260302-00000001",)
    assert plan.headline == (
        "New decision: MC-DEC-20260302-00000001 — Print in grey.",
        "Decision entry budget: 4/120 tokens",
    )
    assert [change.path for change in plan.changes] == ["docs/memory/decisions.md"]
    assert plan.budgets[0].file == "decisions.md"
    assert (plan.warnings, plan.blockers) == ((), ())


@requirement("CUST-04.4-23")
def test_no_add_touches_the_registry(snapshot: Snapshot) -> None:
    for request in (REQUEST, REQUEST._replace(candidate=True), AddRequest("x", "inbox", evidence=REQUEST.evidence)):
        plan = plan_add(snapshot, request, FixedDraws())
        assert not any(change.path.endswith("subjects.md") for change in plan.changes)


@requirement("CUST-06.2-06", "CUST-06.2-05", "CUST-08-05")
def test_a_supersede_changes_both_entries_in_one_plan_with_one_id(snapshot: Snapshot) -> None:
    owned = with_text(snapshot, "decisions.md", OWNED)
    plan = plan_add(owned, REQUEST._replace(supersedes=OLD), FixedDraws())
    (change,) = plan.changes
    assert f"Supersedes: {OLD}\n" in change.after
    assert "Status: superseded\nSuperseded-By: MC-DEC-20260302-00000001\n" in change.after
    assert plan.headline[-1] == f"Supersedes: {OLD} in decisions.md"
    assert plan_id(plan) == plan_id(plan_add(owned, REQUEST._replace(supersedes=OLD), FixedDraws()))
    assert plan_id(plan) != plan_id(plan_add(owned, REQUEST._replace(supersedes=OLD, reason="y"), FixedDraws()))


@requirement("CUST-02-13")
def test_nothing_but_the_named_entry_changes_its_status(snapshot: Snapshot) -> None:
    other = OWNED.replace("00000009", "00000008").replace("behavior", "security").replace("20260101", "19990101")
    both = with_text(snapshot, "decisions.md", OWNED + "\n" + other.partition("\n\n")[2])
    (change,) = plan_add(both, REQUEST._replace(supersedes=OLD), FixedDraws()).changes
    assert change.after.count("Status: superseded") == 1
    assert other.partition("\n\n")[2] in change.after


@requirement("CUST-06.3-17")
def test_an_area_beside_a_wider_owner_is_allowed_with_a_warning(snapshot: Snapshot) -> None:
    plan = plan_add(with_text(snapshot, "decisions.md", OWNED), REQUEST._replace(area="sync"), FixedDraws())
    assert len(plan.warnings) == 1
    assert OLD in plan.warnings[0]
    assert "no recorded exception" in plan.warnings[0]


@requirement("CUST-T-11", "CUST-B2.5-02")
def test_a_decision_that_is_too_long_blocks_its_plan(snapshot: Snapshot) -> None:
    long = REQUEST._replace(message="word " * 121)
    assert plan_add(snapshot, long, FixedDraws()).blockers[0].startswith("Not added: shorten Decision")
    allowed = plan_add(snapshot, long._replace(allow_long=True), FixedDraws())
    assert (len(allowed.warnings), allowed.blockers) == (1, ())
    area = long._replace(type="area", name="sync")
    assert plan_add(snapshot, area, FixedDraws()).blockers
    assert not plan_add(snapshot, long._replace(type="constraint"), FixedDraws()).blockers
    assert not plan_add(snapshot, long._replace(candidate=True), FixedDraws()).blockers


def test_doubtful_words_are_warned_of_and_not_shown(snapshot: Snapshot) -> None:
    plan = plan_add(snapshot, REQUEST._replace(message="Ask ada@lovelace-maps.org first."), FixedDraws())
    assert len(plan.warnings) == 1
    assert "lovelace" not in "".join((*plan.warnings, *plan.headline))


@requirement("CUST-06.1-15")
def test_a_candidate_changes_the_inbox_and_no_budget(snapshot: Snapshot) -> None:
    plan = plan_add(snapshot, REQUEST._replace(candidate=True, type="constraint"), FixedDraws())
    assert [change.path for change in plan.changes] == ["docs/memory/inbox.md"]
    assert plan.budgets == ()
    assert plan.headline == ("New constraint candidate: MC-INBOX-20260302-00000001 — Print in grey.",)


@requirement("CUST-11.2-07")
def test_an_entry_beside_bare_bullets_is_structured(snapshot: Snapshot) -> None:
    legacy = with_text(snapshot, "constraints.md", "# Constraints\n\n- old one\n\n- old two\n")
    (change,) = plan_add(legacy, REQUEST._replace(type="constraint"), FixedDraws()).changes
    assert change.after.startswith("# Constraints\n\n## MC-CON-20260302-00000001 — Print in grey.\n\nStatus: active\n")
    assert change.after.endswith(f"Constraint:\nPrint in grey.\n\n{APART}\n\n- old one\n\n- old two\n")


def test_a_change_is_noted_where_there_is_a_changelog(snapshot: Snapshot) -> None:
    logged = with_text(snapshot, "changelog.md", "# Memory Changelog\n\nEntries are newest first.\n")
    plan = plan_add(logged, REQUEST, FixedDraws())
    assert plan.changes[-1].after.endswith("## 2026-03-02\n- Added decision memory to decisions.md.\n")


@requirement("CUST-T-19", "CUST-04.4-03", "CUST-04.4-34")
def test_the_memory_set_is_indexed_once(snapshot: Snapshot) -> None:
    with mock.patch.object(adding, "index_of", wraps=memory_index.index_of) as indexed:
        plan_add(snapshot, REQUEST, FixedDraws())
    assert indexed.call_count == 1


@pytest.mark.parametrize(
    "version, said", [("0.7", "newer than this CLI supports"), ("six", "invalid protocol version"), ("0.6", "missing")]
)
def test_a_manifest_that_cannot_be_written_by_refuses(snapshot: Snapshot, version: str, said: str) -> None:
    manifest = snapshot.texts["manifest.md"].replace("protocol_version: 0.6", f"protocol_version: {version}")
    manifest = manifest.replace("- admission_policy: evidence-required\n", "")
    with pytest.raises(Refused, match=said):
        plan_add(with_text(snapshot, "manifest.md", manifest), REQUEST, FixedDraws())
