"""The rules of the registry hold for what was written by hand too (§4.4)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import memory, subject, subjects
from csbond_tests.marks import requirement
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.subject_check import subject_issues


def said(*texts: str, **files: str) -> list[str]:
    snapshot = memory({"subjects.md": subjects(*texts), **{f"{name}.md": text for name, text in files.items()}})
    return [issue.message for issue in subject_issues(snapshot, index_of(snapshot))]


def test_subjects_as_the_command_writes_them_have_no_issue() -> None:
    assert said(subject(), subject(2, "Kafka", Kind="dependency", Canonical_Ref="dependency:pypi:kafka")) == []


@requirement("CUST-05.2-12")
@pytest.mark.parametrize(
    "text, message",
    [
        (subject(1, ""), "has no title"),
        (subject(Status=""), "must declare a Status; accepted: active, merged"),
        (subject(Status="actve"), "has an invalid Status; accepted: active, merged"),
        (subject(Kind="thing"), "has an invalid Kind; accepted: dependency, repo-path"),
        (subject(Canonical_Ref="thing:x"), "has an invalid Canonical-Ref; accepted: "),
        (subject(Canonical_Ref="area:sync"), "has a Canonical-Ref of another Kind; accepted: Kind: area"),
        (subject().replace("- user-confirmed\n", ""), "has no Evidence"),
        (subject().replace("- user-confirmed", "- somebody said"), "has invalid Evidence"),
    ],
)
def test_a_fault_of_a_subject_is_named(text: str, message: str) -> None:
    (found,) = said(text)
    assert found.startswith(f"subjects.md:5: MC-SUBJ-20260301-00000001 {message}")


@requirement("CUST-05.2-12")
@pytest.mark.parametrize(
    "one, other, what",
    [
        (subject(1, "A"), subject(1, "B"), "Subject ID"),
        (subject(1, "Rivers"), subject(2, " RIVERS"), "alias"),
        (
            subject(1, "A", Kind="area", Canonical_Ref="area:sync"),
            subject(2, "B", Kind="area", Canonical_Ref="area:Sync"),
            "Canonical-Ref",
        ),
    ],
)
def test_what_two_subjects_share_is_named(one: str, other: str, what: str) -> None:
    (found,) = said(one, other)
    assert f"has the same {what} as MC-SUBJ-20260301-00000001 in line 5" in found


def test_a_subject_no_longer_in_force_frees_its_names() -> None:
    assert said(subject(1, "Rivers", Status="merged"), subject(2, "Rivers")) == []


def test_a_subject_in_another_file_is_an_error() -> None:
    (found,) = said(subject(), decisions=f"# Decisions\n\n{subject(2, 'Kafka')}")
    assert found == "decisions.md:3: MC-SUBJ-20260301-00000002 is a Subject; accepted: in subjects.md only"
