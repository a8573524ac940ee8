"""The structural rules of entries hold for what was written by hand too (§§4.2, 5.2, 5.3)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import SUBJECT, entry, memory, subject, subjects
from csbond_tests.marks import requirement
from memory_custodian.rules.entry_check import entry_issues
from memory_custodian.rules.finding import Issue
from memory_custodian.rules.memory_index import index_of

REAL = entry("DEC", 1)
CANDIDATE = entry("INBOX", 1)


def issues(files: dict[str, str]) -> tuple[Issue, ...]:
    snapshot = memory({file: f"# Title\n\n{text}" for file, text in files.items()})
    return entry_issues(snapshot, index_of(snapshot))


def errors(text: str, file: str = "decisions.md") -> list[str]:
    return [issue.message for issue in issues({file: text}) if issue.severity == "ERROR"]


def test_entries_as_add_writes_them_have_no_issue() -> None:
    area = "\n".join(
        [
            entry("AREA", 2, Scope="area:sync"),
            entry("CON", 3, Scope="area:sync", Facet="security"),
            entry("PREF", 4, Scope="area:sync"),
            entry("DNU", 5, Scope="area:sync", Facet="architecture"),
        ]
    )
    files = {
        "decisions.md": REAL,
        "constraints.md": entry("CON", 6, Facet="security"),
        "do-not-use.md": f"{entry('TOMB', 7)}\n{entry('DNU', 8, Facet='architecture')}",
        "preferences.md": entry("PREF", 9),
        "areas/sync.md": area,
        "rules/output.md": entry("AREA", 10, label="Rule", Subject=None, Facet=None),
        "profiles/review.md": entry("AREA", 11, label="Profile", Subject=None, Facet=None),
        "inbox.md": entry("INBOX", 12, evidence=["agent-observed"], Scope="area:sync"),
    }
    assert issues(files) == ()


@requirement("CUST-13.1-06", "CUST-05.2-12")
@pytest.mark.parametrize(
    "text, said",
    [
        (entry("DEC", 1, Status="open"), "has an invalid Status; accepted: active, superseded"),
        (entry("DEC", 1, Status=None), "must declare exactly one Status field; found 0"),
        (entry("DEC", 1, more="Status: active\n"), "must declare exactly one Status field; found 2"),
        (entry("DEC", 1, Scope="everything"), "has an invalid Scope; accepted: project, area:<name>"),
        (entry("DEC", 1, Scope="area:../x"), "has an invalid Scope; accepted: project, area:<name>"),
        (entry("DEC", 1, Scope=None), "must declare exactly one Scope field; found 0"),
        (entry("DEC", 1, more="Facet: behavior\n"), "has duplicate Facet fields; accepted: one"),
        (entry("DEC", 1, more="Evidence:\n- repo:a.py\n"), "must declare exactly one Evidence field; found 2"),
        (entry("DEC", 1, evidence=()), "is active without Evidence"),
        (entry("DEC", 1, evidence=["agent-observed"]), "is active with only unconfirmed Evidence"),
        (entry("DEC", 1, evidence=["/etc/passwd"]), "has invalid Evidence"),
        (entry("DEC", 1, label="Constraint"), "must declare exactly one Decision typed body"),
        (entry("DEC", 1, label="Constraint"), "uses Constraint body; accepted: Decision"),
        (entry("DEC", 1, more="\nDecision:\nAnother.\n"), "must declare exactly one Decision typed body"),
        (entry("DEC", 1, " "), "has an empty Decision body"),
        (entry("DEC", 1, Subject="MC-SUBJ-20260301-0000000f"), "has a missing or inactive Subject"),
        (entry("DEC", 1, Subject="Rivers"), "has a missing or inactive Subject"),
        (entry("DEC", 1, Facet=None), "has one of Subject and Facet; accepted: both or neither"),
        (entry("DEC", 1, Facet="made-up"), "has a Facet that is not valid; decision accepts:"),
        (entry("DEC", 1, Status="candidate"), "is candidate, so it must be stored in inbox.md"),
        (entry("DEC", 1, Status="promoted", Promoted_To="removed"), "is promoted, so it must be stored in inbox.md"),
    ],
)
def test_a_fault_of_an_entry_is_named_with_what_would_be_accepted(text: str, said: str) -> None:
    assert any(said in message for message in errors(text)), errors(text)
    assert all(message.startswith("decisions.md:3: MC-DEC-20260301-00000001 ") for message in errors(text))


@requirement("CUST-05.2-12")
@pytest.mark.parametrize(
    "text, said",
    [
        (entry("INBOX", 1, Status="active"), "inbox entries must be candidate or promoted"),
        (entry("INBOX", 1, Status="open"), "has an invalid Status; accepted: candidate, promoted"),
        (entry("INBOX", 1, Candidate_Type="idea"), "has no valid Candidate-Type; accepted: decision"),
        (entry("INBOX", 1, Candidate_Type=None), "has no valid Candidate-Type"),
        (entry("INBOX", 1, Subject=SUBJECT, Facet="behavior"), "accepted: Provisional-Subject and Provisional-Facet"),
        (
            entry("INBOX", 1, Provisional_Subject="MC-SUBJ-20260301-0000000f", Provisional_Facet="behavior"),
            "has a missing or inactive Provisional-Subject",
        ),
        (
            entry("INBOX", 1, Candidate_Type="profile", Provisional_Subject=SUBJECT, Provisional_Facet="security"),
            "has a Provisional-Facet that does not fit type profile; it accepts: behavior, interface, workflow",
        ),
        (entry("INBOX", 1, evidence=()), "is candidate without Evidence"),
        (entry("INBOX", 1, label="Decision"), "must declare exactly one Statement typed body"),
        (entry("DEC", 1), "type does not match its storage location"),
    ],
)
def test_a_fault_of_a_candidate_is_named(text: str, said: str) -> None:
    assert any(said in message for message in errors(text, "inbox.md")), errors(text, "inbox.md")


@requirement("CUST-05.3-02")
@pytest.mark.parametrize("file", ["decisions.md", "constraints.md", "areas/sync.md", "rules/a.md", "brief.md"])
def test_a_candidate_outside_the_inbox_is_an_error(file: str) -> None:
    assert any("must be stored in inbox.md" in message for message in errors(CANDIDATE, file))


PLACES = {
    "decisions.md": "project",
    "constraints.md": "project",
    "preferences.md": "project",
    "do-not-use.md": "project",
    "inbox.md": "project",
    "rules/r.md": "project",
    "profiles/p.md": "project",
    "areas/a.md": "area:a",
    "brief.md": "project",
    "changelog.md": "project",
    "notes.md": "project",
}
FITTING = {
    ("DEC", "decisions.md"),
    ("CON", "constraints.md"),
    ("CON", "areas/a.md"),
    ("PREF", "preferences.md"),
    ("PREF", "areas/a.md"),
    ("DNU", "do-not-use.md"),
    ("DNU", "areas/a.md"),
    ("TOMB", "do-not-use.md"),
    ("INBOX", "inbox.md"),
    ("AREA", "areas/a.md"),
    ("AREA", "rules/r.md"),
    ("AREA", "profiles/p.md"),
}
FOLDER_LABELS = {"rules/r.md": "Rule", "profiles/p.md": "Profile"}


@requirement("CUST-04.2-06", "CUST-13.1-08")
@pytest.mark.parametrize("file", PLACES)
@pytest.mark.parametrize("code", ["DEC", "CON", "PREF", "DNU", "TOMB", "AREA", "INBOX"])
def test_each_kind_of_id_fits_its_places_and_no_other(code: str, file: str) -> None:
    if code == "AREA" and file in FOLDER_LABELS:
        text = entry(code, 1, label=FOLDER_LABELS[file], Scope=PLACES[file], Subject=None, Facet=None)
    else:
        text = entry(code, 1, Scope=PLACES[file])
    found = errors(text, file)
    assert (found == []) == ((code, file) in FITTING), found


@requirement("CUST-04.2-06", "CUST-13.1-08")
@pytest.mark.parametrize("file, scope", PLACES.items())
def test_the_scope_of_an_entry_is_that_of_its_file(file: str, scope: str) -> None:
    codes = [code for code, place in FITTING if place == file and code != "INBOX"]
    for code in codes:
        other = "project" if scope != "project" else "area:a"
        found = errors(entry(code, 1, label=FOLDER_LABELS.get(file, ""), Scope=other), file)
        assert f"must use Scope: {scope}" in " ".join(found)


def test_a_candidate_may_be_of_the_project_or_of_an_area() -> None:
    assert errors(entry("INBOX", 1, Scope="area:sync"), "inbox.md") == []


@requirement("CUST-04.2-06", "CUST-13.1-07")
@pytest.mark.parametrize("code", ["AREA", "CON", "PREF", "DNU"])
def test_id_body_path_and_scope_of_an_entry_of_an_area_agree(code: str) -> None:
    good = entry(code, 1, Scope="area:sync")
    assert errors(good, "areas/sync.md") == []
    assert any("must use Scope: area:other" in one for one in errors(good, "areas/other.md"))
    assert any("must use Scope: area:sync" in one for one in errors(entry(code, 1), "areas/sync.md"))
    wrong = "Statement" if code != "AREA" else "Rule"
    assert any(" typed body" in one for one in errors(entry(code, 1, label=wrong, Scope="area:sync"), "areas/sync.md"))


@requirement("CUST-04.2-07")
@pytest.mark.parametrize("label", ["Constraint", "Rejected", "Preference", "Rule", "Profile"])
def test_in_areas_an_area_id_means_a_decision_of_the_area(label: str) -> None:
    found = errors(entry("AREA", 1, label=label, Scope="area:sync"), "areas/sync.md")
    assert any("must declare exactly one Decision typed body" in one for one in found)


@requirement("CUST-05.2-12")
def test_the_same_id_twice_is_an_error_also_in_the_archive_and_in_another_case() -> None:
    files = {"decisions.md": REAL, "archive/decisions-2026-01-01.md": REAL.replace("MC-DEC", "mc-dec")}
    (issue,) = (issue for issue in issues(files) if issue.code == "entry-duplicate-id")
    assert "has a duplicate Entry ID" in issue.message
    assert "archive/decisions-2026-01-01.md" in issue.message


@requirement("CUST-05.2-12")
def test_a_second_owner_in_force_of_scope_subject_and_facet_is_an_error() -> None:
    two = {"decisions.md": REAL, "constraints.md": entry("CON", 2)}
    (issue,) = issues(two)
    assert (issue.code, issue.severity) == ("entry-duplicate-owner", "ERROR")
    for other in (
        {"constraints.md": entry("CON", 2, Facet="security")},
        {"archive/constraints-2026-01-01.md": entry("CON", 2)},
        {"areas/sync.md": entry("CON", 2, Scope="area:sync")},
        {"constraints.md": entry("CON", 2, Status="superseded", Superseded_By="removed")},
    ):
        assert issues({"decisions.md": REAL, **other}) == ()


def test_one_confirmed_evidence_carries_an_entry_beside_unconfirmed_ones() -> None:
    assert errors(entry("DEC", 1, evidence=["agent-observed", "doc:docs/maps.md"])) == []


@requirement("CUST-04.4-32")
@pytest.mark.parametrize(
    "text, code",
    [
        (entry("DEC", 1, evidence=["legacy-unverified"]), "entry-unverified"),
        (entry("DEC", 1, Subject=None, Facet=None), "entry-coverage"),
    ],
)
def test_what_migration_leaves_is_a_warning(text: str, code: str) -> None:
    (issue,) = issues({"decisions.md": text})
    assert (issue.severity, issue.code) == ("WARNING", code)


def test_an_entry_in_force_needs_a_subject_in_force_and_an_old_one_only_one_that_exists() -> None:
    registry = subjects(subject(Status="inactive"))
    for status, amiss in (("active", True), ("superseded", False)):
        old = entry("DEC", 1, Status=status, **({} if amiss else {"Superseded_By": "removed"}))
        snapshot = memory({"decisions.md": f"# Title\n\n{old}", "subjects.md": registry})
        found = entry_issues(snapshot, index_of(snapshot))
        assert bool(found) == amiss


def test_an_entry_among_the_subjects_is_an_error() -> None:
    text = subjects(subject(), REAL)
    snapshot = memory({"subjects.md": text})
    assert "subjects.md holds no entries" in entry_issues(snapshot, index_of(snapshot))[0].message


def test_the_value_that_is_wrong_is_never_repeated() -> None:
    odd = "ghp_" + "q7Zk2mX9vB4tR8wL1nJ6pC3s"
    text = entry("DEC", 1, evidence=[odd], Status=odd, Scope=odd, Subject=odd, Facet=odd, Supersedes=odd)
    found = issues({"decisions.md": text})
    assert len(found) >= 5
    assert odd not in str(found)
