"""The text of entries, written and read."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Draft, Entry, EntryType, Evidence
from memory_custodian.rules.entry_text import (
    DEFAULT_REQUIREMENT,
    escape_body,
    parse_entries,
    render,
    with_link,
    written_size,
)
from memory_custodian.rules.problems import Refused

CONFIRMED = Evidence("user-confirmed")
DECISION = Draft(
    id="MC-DEC-20260302-a1b2c3d4",
    type="decision",
    status="active",
    message="Ship one binary.",
    scope="project",
    evidence=(Evidence("repo", "pyproject.toml", "293b9e6"), Evidence("issue", "42")),
    subject="MC-SUBJ-20260301-91d44e2a",
    facet="version-policy",
    reason="Users have no package manager.",
)
TEXT = """\
## MC-DEC-20260302-a1b2c3d4 — Ship one binary.

Status: active
Scope: project
Subject: MC-SUBJ-20260301-91d44e2a
Facet: version-policy
Evidence:
- repo:pyproject.toml@293b9e6
- issue:#42

Decision:
Ship one binary.

Reason:
Users have no package manager.
"""


def read(text: str) -> Entry:
    """The only entry of a text."""
    (entry,) = parse_entries("decisions.md", text)
    return entry


@requirement("CUST-04.2-01", "CUST-06.1-02", "CUST-05.2-01", "CUST-01-03")
def test_a_decision_is_written_in_this_order() -> None:
    assert render(DECISION) == TEXT


@requirement("CUST-06.2-05")
def test_what_an_entry_supersedes_stands_behind_its_evidence() -> None:
    text = render(DECISION._replace(supersedes="MC-DEC-20260101-00000001"))
    assert text == TEXT.replace("- issue:#42\n", "- issue:#42\nSupersedes: MC-DEC-20260101-00000001\n")


@requirement("CUST-04.2-02", "CUST-04.2-03", "CUST-04.2-04", "CUST-04.2-05")
@pytest.mark.parametrize(
    "code, entry_type, label, prefix",
    [
        ("AREA", "decision", "Decision", ""),
        ("CON", "constraint", "Constraint", ""),
        ("PREF", "preference", "Preference", ""),
        ("DNU", "tombstone", "Rejected", "Tombstone: "),
        ("DNU", "do-not-use", "Rejected", "Tombstone: "),
    ],
)
def test_each_type_of_an_area_has_its_id_and_its_body(
    code: str, entry_type: EntryType, label: str, prefix: str
) -> None:
    draft = DECISION._replace(id=f"MC-{code}-20260302-a1b2c3d4", type=entry_type, scope="area:sync")
    text = render(draft)
    assert text.startswith(f"## {draft.id} — {prefix}Ship one binary.\n\nStatus: active\nScope: area:sync\n")
    assert f"\n\n{label}:\nShip one binary.\n" in text


@requirement("CUST-04.3-01", "CUST-04.3-02", "CUST-04.3-03")
@pytest.mark.parametrize(
    "code, entry_type, label",
    [
        ("CON", "constraint", "Constraint"),
        ("DNU", "do-not-use", "Rejected"),
        ("PREF", "preference", "Preference"),
        ("AREA", "rule", "Rule"),
        ("AREA", "profile", "Profile"),
    ],
)
def test_an_entry_needs_neither_reason_nor_subject_in_its_text(code: str, entry_type: EntryType, label: str) -> None:
    draft = DECISION._replace(
        id=f"MC-{code}-20260302-a1b2c3d4", type=entry_type, reason="", subject="", facet="", evidence=(CONFIRMED,)
    )
    body = f"Status: active\nScope: project\nEvidence:\n- user-confirmed\n\n{label}:\nShip one binary.\n"
    assert render(draft).partition("\n\n")[2] == body
    with_reason = render(draft._replace(reason="It is so."))
    assert with_reason.partition("\n\n")[2] == f"{body}\nReason:\nIt is so.\n"


@requirement("CUST-05.3-01", "CUST-06.1-12", "CUST-06.1-14")
def test_a_candidate_is_written_in_this_order() -> None:
    draft = Draft(
        id="MC-INBOX-20260302-07aa192c",
        type="inbox",
        status="candidate",
        message="Storage seems to be JSON only.",
        scope="area:storage",
        evidence=(Evidence("agent-observed"),),
        candidate_type="constraint",
        subject="MC-SUBJ-20260301-91d44e2a",
        facet="architecture",
        reason="Ask the user.",
    )
    assert render(draft) == (
        "## MC-INBOX-20260302-07aa192c — Storage seems to be JSON only.\n\n"
        "Status: candidate\nCandidate-Type: constraint\nScope: area:storage\n"
        "Provisional-Subject: MC-SUBJ-20260301-91d44e2a\nProvisional-Facet: architecture\n"
        "Evidence:\n- agent-observed\n\n"
        "Statement:\nStorage seems to be JSON only.\n\nPromotion-Requirement:\nAsk the user.\n"
    )
    assert render(draft._replace(reason="")).endswith(f"\nPromotion-Requirement:\n{DEFAULT_REQUIREMENT}\n")


def test_a_guard_has_the_title_it_is_given() -> None:
    draft = DECISION._replace(id="MC-TOMB-20260302-a1b2c3d4", type="tombstone", title="boats\nand rafts")
    assert render(draft).startswith("## MC-TOMB-20260302-a1b2c3d4 — Tombstone: boats and rafts\n")


@requirement("CUST-T-17")
@pytest.mark.parametrize(
    "text",
    [
        "## MC-DEC-20260302-00000009 — not an entry",
        "Fine\n# Not a title\nFine",
        "Status: superseded",
        "Reason:\nnone",
        "Note: this is prose\nDecision:\nso is this",
        "Evidence:\n- user-confirmed",
        "```\n## x\n```",
        "````text\n```\nx\n```\n````",
        "~~~\nopen",
        "```",
        "   ```\n    ```",
        "- one\n- two",
        "prose\n\n* one",
        "+ one",
        " leading and trailing \n",
        "\n\nblank lines\n\n",
        "a\r\nb\rc",
        "##",
        "######\tx",
        "a\u2028## b\u2028Status: x",
        "\u5730\u56fe: \u6253\u5370\n\n\U0001f5fa\ufe0f",
        "`````````` and ```` inside",
        "\ufeffmark",
        "x\x0b\x0c",
    ],
)
def test_a_text_comes_back_byte_for_byte(text: str) -> None:
    draft = DECISION._replace(message=text, reason=text)
    entry = read(render(draft))
    assert entry.bodies == (("Decision", text), ("Reason", text))
    assert (entry.status, entry.field("Scope"), len(entry.fields)) == ("active", "project", 5)
    assert entry.evidence == ("repo:pyproject.toml@293b9e6", "issue:#42")
    candidate = draft._replace(id="MC-INBOX-20260302-a1b2c3d4", type="inbox", status="candidate", candidate_type="note")
    assert read(render(candidate)).bodies == (("Statement", text), ("Promotion-Requirement", text))


@pytest.mark.parametrize("text", ["Plain.", "Two\n\nparagraphs.", "#hash and `code`", "see: this", "a - b\n  - c"])
def test_a_text_that_cannot_be_misread_is_written_as_it_is(text: str) -> None:
    assert escape_body(text) == (text if "see" not in text else "```text\nsee: this\n```")


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert escape_body("# x") == "```text\n# x\n```"
    assert escape_body("# x ````` y") == "``````text\n# x ````` y\n``````"


def test_a_fence_that_a_person_wrote_for_another_language_is_part_of_the_text() -> None:
    text = TEXT.replace("Ship one binary.\n\nReason", "```toml\nname = 1\n```\n\nReason")
    assert read(text).body("Decision") == "```toml\nname = 1\n```"
    assert read(text.replace("```toml", "```")).body("Decision") == "name = 1"
    two = TEXT.replace("Ship one binary.\n\nReason", "```\na\n```\n```\nb\n```\n\nReason")
    assert read(two).body("Decision") == "```\na\n```\n```\nb\n```"


@requirement("CUST-04.1-05")
def test_an_entry_is_read_with_file_line_and_every_field() -> None:
    (entry,) = parse_entries("decisions.md", f"# Decisions\n\n{TEXT.replace('MC-DEC', 'mc-dec')}")
    assert (entry.file, entry.line, entry.id, entry.code) == ("decisions.md", 3, DECISION.id, "DEC")
    assert entry.title == "Ship one binary."
    assert entry.owner_key == ("project", "MC-SUBJ-20260301-91D44E2A", "version-policy")
    assert entry.fields == (
        ("Status", "active"),
        ("Scope", "project"),
        ("Subject", "MC-SUBJ-20260301-91d44e2a"),
        ("Facet", "version-policy"),
        ("Evidence", ""),
    )


def test_what_is_repeated_or_misplaced_is_seen() -> None:
    text = TEXT.replace("Status: active\n", "Status: active\nOwner: x\nStatus:superseded\n")
    text = text.replace("manager.\n", "manager.\nFacet: security\nand on\nEvidence:\n- pr:#1\n")
    entry = read(text)
    assert [value for name, value in entry.fields if name == "Status"] == ["active", "superseded"]
    assert [value for name, value in entry.fields if name == "Facet"] == ["version-policy", "security"]
    assert [name for name, _ in entry.fields].count("Evidence") == 2
    assert entry.evidence[-1] == "pr:#1"
    assert entry.body("Reason") == "Users have no package manager.\nand on"
    assert entry.field("Owner") == ""
    assert read(TEXT.replace("Evidence:\n", "Evidence: user-confirmed\n")).evidence[0] == "user-confirmed"


@requirement("CUST-T-03")
def test_fields_in_a_fence_are_text() -> None:
    text = TEXT.replace("Ship one binary.\n\nReason", "```\nStatus: candidate\nReason:\n```\n\nReason")
    assert read(text).status == "active"
    assert [label for label, _ in read(text).bodies] == ["Decision", "Reason"]


def test_sections_bullets_and_subjects_are_no_entries() -> None:
    text = "## Old\nDecision:\nx\n\n- bullet\n\n## MC-SUBJ-20260302-00000001 — Library X\n\nStatus: active\n"
    assert parse_entries("decisions.md", text) == ()


@requirement("CUST-P-08")
def test_bare_bullets_behind_an_entry_are_no_part_of_its_text() -> None:
    assert read(f"{TEXT}\n- old bullet\n").body("Reason") == "Users have no package manager."


@requirement("CUST-04.2-08", "CUST-06.2-03", "CUST-06.2-04")
def test_a_superseded_entry_says_by_what_directly_after_its_status() -> None:
    new = "MC-DEC-20260401-00000001"
    other = TEXT.replace("a1b2c3d4", "00000002")
    text = f"# Decisions\n\n{other}\n{TEXT}\n- old bullet\n"
    linked = with_link(text, DECISION.id.lower(), "superseded", "Superseded-By", new)
    changed = TEXT.replace("Status: active\n", f"Status: superseded\nSuperseded-By: {new}\n")
    assert linked == f"# Decisions\n\n{other}\n{changed}\n- old bullet\n"


def test_a_link_that_is_there_gets_its_new_value_where_it_stands() -> None:
    text = render(DECISION._replace(supersedes="MC-DEC-20260101-00000001"))
    assert with_link(text, DECISION.id, None, "Supersedes", "removed") == text.replace(
        "Supersedes: MC-DEC-20260101-00000001", "Supersedes: removed"
    )
    assert with_link(
        "## MC-DEC-20260302-a1b2c3d4 — x\r\nStatus: active\r\n", DECISION.id, None, "Promoted-To", "y"
    ) == ("## MC-DEC-20260302-a1b2c3d4 — x\r\nStatus: active\r\nPromoted-To: y\r\n")


@requirement("CUST-T-03")
def test_a_status_in_a_fence_is_not_changed() -> None:
    fence = "```\nStatus: active\n```\n"
    text = TEXT.replace("\nStatus", f"\n{fence}Status", 1)
    linked = with_link(text, DECISION.id, "superseded", "Superseded-By", "MC-DEC-20260401-00000001")
    assert f"{fence}Status: superseded\nSuperseded-By: " in linked


@pytest.mark.parametrize(
    "text, why", [("# Decisions\n", "is not in the file"), (TEXT.replace("Status", "State"), "Status is missing")]
)
def test_an_entry_that_cannot_be_linked_is_refused_by_its_id(text: str, why: str) -> None:
    with pytest.raises(Refused, match=f"{DECISION.id}.*{why}"):
        with_link(text, DECISION.id, "superseded", "Superseded-By", "MC-DEC-20260401-00000001")


@requirement("CUST-T-11")
def test_the_size_of_an_entry_counts_what_a_person_wrote_and_no_field() -> None:
    assert written_size(TEXT) == 4 + 6
    assert written_size(TEXT.replace("Facet: version-policy\n", "")) == 10
    assert written_size(render(DECISION._replace(message="# x", reason=""))) == 2
    assert written_size("## 2026-03-02 - Ship\nDecision:\nShip one.\nReason:\nYes.\n") == 5
    assert written_size("## 2026-03-02 - Ship\nShip one.\n") == 3
