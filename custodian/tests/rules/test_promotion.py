"""The plan of `promote`."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_world import FixedDraws, project
from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.promotion import PromoteRequest, plan_promote
from memory_custodian.rules.snapshot import Snapshot

SUBJECT = "MC-SUBJ-20260301-aa11bb22"
SUBJECTS = f"# Subjects\n\n## {SUBJECT} — Maps\n\nStatus: active\nKind: concept\nEvidence:\n- user-confirmed\n"
CANDIDATE = "MC-INBOX-20260301-00000007"
INBOX = f"""\
# Memory Inbox

Entries are newest first.

## {CANDIDATE} — Grey maps

Status: candidate
Candidate-Type: constraint
Scope: area:print
Provisional-Subject: {SUBJECT}
Provisional-Facet: behavior
Evidence:
- agent-observed

Statement:
```text
# Grey: always
```

Promotion-Requirement:
Ask.
"""
REQUEST = PromoteRequest(CANDIDATE, evidence=(Evidence("user-confirmed"),))


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    world = project(tmp_path, subjects=SUBJECTS, inbox=INBOX)
    return Snapshot("docs/memory", {path.name: world.text(path.name) for path in sorted(world.memory.iterdir())})


def refusal(snapshot: Snapshot, request: PromoteRequest, inbox: str = INBOX) -> str:
    """Why a promotion is refused."""
    with pytest.raises(Refused) as refused:
        plan_promote(snapshot._replace(texts={**snapshot.texts, "inbox.md": inbox}), request, FixedDraws())
    return refused.value.message


@requirement("CUST-05.3-07")
def test_a_candidate_becomes_an_entry_with_its_words_type_scope_and_subject(snapshot: Snapshot) -> None:
    plan = plan_promote(snapshot, REQUEST._replace(entry_id=CANDIDATE.lower(), reason="Asked."), FixedDraws())
    assert [change.path for change in plan.changes] == [
        "docs/memory/areas/print.md",
        "docs/memory/inbox.md",
        "docs/memory/manifest.md",
    ]
    (entry,) = parse_entries("areas/print.md", plan.changes[0].after)
    assert (entry.id, entry.status) == ("MC-CON-20260302-00000001", "active")
    assert entry.bodies == (("Constraint", "# Grey: always"), ("Reason", "Asked."))
    assert (entry.field("Scope"), entry.field("Subject"), entry.field("Facet")) == ("area:print", SUBJECT, "behavior")
    assert entry.evidence == ("user-confirmed",)
    assert plan.changes[1].after == INBOX.replace(
        "Status: candidate\n", "Status: promoted\nPromoted-To: MC-CON-20260302-00000001\n"
    )
    assert plan.headline[-1] == f"Promotes: {CANDIDATE} in inbox.md"
    assert plan.arguments["entry_id"] == CANDIDATE


@requirement("CUST-05.3-07")
def test_what_is_given_outranks_what_the_candidate_says(snapshot: Snapshot) -> None:
    request = REQUEST._replace(type="decision", area="sync", message="Maps are grey.", facet="interface")
    (change, *_) = plan_promote(snapshot, request, FixedDraws()).changes
    (entry,) = parse_entries("areas/sync.md", change.after)
    assert (entry.code, entry.body("Decision"), entry.field("Facet")) == ("AREA", "Maps are grey.", "interface")


@pytest.mark.parametrize(
    "request_, file",
    [
        (REQUEST._replace(type="area"), "areas/print.md"),
        (REQUEST._replace(type="rule", name="output"), "rules/output.md"),
        (REQUEST._replace(type="preference", facet="workflow"), "areas/print.md"),
    ],
)
def test_a_candidate_goes_where_its_new_type_lies(snapshot: Snapshot, request_: PromoteRequest, file: str) -> None:
    assert plan_promote(snapshot, request_, FixedDraws()).changes[0].path == f"docs/memory/{file}"


@requirement("CUST-05.3-10", "CUST-01-06")
def test_the_evidence_of_the_candidate_is_not_enough_and_not_carried_over(snapshot: Snapshot) -> None:
    assert refusal(snapshot, REQUEST._replace(evidence=())).startswith("--evidence is missing")
    unconfirmed = REQUEST._replace(evidence=(Evidence("agent-observed"),))
    assert "cannot create active memory" in refusal(snapshot, unconfirmed)


@requirement("CUST-05.3-10")
@pytest.mark.parametrize(
    "request_, said",
    [
        (REQUEST._replace(facet="lifecycle"), "does not fit type constraint"),
        (REQUEST._replace(subject="MC-SUBJ-20260301-00000000"), "is not defined in subjects.md"),
        (REQUEST._replace(missing_evidence=("repo:x",)), "no such file"),
        (REQUEST._replace(evidence=(Evidence("legacy-unverified"),)), "written by migration alone"),
        (REQUEST._replace(message=" "), "--message is empty"),
        (REQUEST._replace(type="rule"), "requires --name"),
        (REQUEST._replace(message="AKIA" + "ABCDEFGHIJKLMNOP"), "secret"),
    ],
)
def test_every_rule_of_an_active_entry_holds(snapshot: Snapshot, request_: PromoteRequest, said: str) -> None:
    assert said in refusal(snapshot, request_)


@pytest.mark.parametrize(
    "statement, said",
    [
        ("", "is empty"),
        ("AKIA" + "ABCDEFGHIJKLMNOP", ": looks like it holds a secret"),
        ("password=" + "hunter77", ": may hold a secret"),
    ],
)
def test_what_a_candidate_says_is_called_its_statement(snapshot: Snapshot, statement: str, said: str) -> None:
    inbox = INBOX.replace(parse_entries("inbox.md", INBOX)[0].body("Statement"), statement)
    assert f"Statement of {CANDIDATE}{' ' if said[0] == 'i' else ''}{said}" in refusal(snapshot, REQUEST, inbox)


def test_a_warning_names_the_statement_too(snapshot: Snapshot) -> None:
    inbox = INBOX.replace(parse_entries("inbox.md", INBOX)[0].body("Statement"), "Ask me@lantern-maps.dev.")
    private = snapshot._replace(texts={**snapshot.texts, "inbox.md": inbox})
    (warning,) = plan_promote(private, REQUEST, FixedDraws()).warnings
    assert warning.startswith(f"Statement of {CANDIDATE} may hold something")


@requirement("CUST-05.3-10", "CUST-05.2-10")
def test_a_candidate_does_not_become_a_second_owner(snapshot: Snapshot) -> None:
    owner = plan_promote(snapshot, REQUEST, FixedDraws()).changes[0].after
    owned = snapshot._replace(texts={**snapshot.texts, "areas/print.md": owner})
    assert "Active structural owner already exists" in refusal(owned, REQUEST)


@requirement("CUST-05.3-11")
@pytest.mark.parametrize(
    "inbox, said",
    [
        ("# Memory Inbox\n", "does not exist"),
        (INBOX + INBOX.partition("first.\n\n")[2], "occurs 2 times"),
        (
            INBOX.replace("Status: candidate\n", "Status: promoted\nPromoted-To: MC-CON-20260301-00000008\n"),
            "is already promoted to MC-CON-20260301-00000008",
        ),
        (INBOX.replace("Status: candidate", "Status: active"), "is active; accepted: a candidate"),
        (INBOX.replace("Status: candidate\n", ""), "is without a Status; accepted: a candidate"),
        (INBOX.replace("area:print", "somewhere"), "Scope is not valid; accepted: project, area:<slug>"),
        (INBOX.replace("Candidate-Type: constraint", "Candidate-Type: note"), "give --type, one of: decision"),
    ],
)
def test_only_a_candidate_of_the_inbox_is_promoted(snapshot: Snapshot, inbox: str, said: str) -> None:
    assert said in refusal(snapshot, REQUEST, inbox)


@requirement("CUST-05.3-11")
def test_an_active_entry_and_a_name_are_no_candidates(snapshot: Snapshot) -> None:
    assert "not an Entry ID" in refusal(snapshot, REQUEST._replace(entry_id="the grey one"))
    texts = {**snapshot.texts, "decisions.md": INBOX.replace("00000007", "00000006")}
    elsewhere = snapshot._replace(texts=texts)
    said = refusal(elsewhere, REQUEST._replace(entry_id=CANDIDATE.replace("00000007", "00000006")))
    assert "in decisions.md is candidate; accepted: a candidate in inbox.md" in said
