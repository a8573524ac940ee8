"""What check finds in manifest.md beside its routes (§3)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import memory
from csbond_tests.custodian_world import PROJECT_ID
from csbond_tests.marks import requirement
from memory_custodian.rules.finding import Issue
from memory_custodian.rules.manifest import read_manifest
from memory_custodian.rules.manifest_check import manifest_issues

MANIFEST = memory().texts["manifest.md"]


def issues(text: str) -> list[Issue]:
    return list(manifest_issues(text, read_manifest(text)))


def test_a_new_manifest_has_no_issue() -> None:
    assert issues(MANIFEST) == []


@requirement("CUST-03-06")
@pytest.mark.parametrize(
    "project_id, said",
    [
        (f"- project_id: {PROJECT_ID}\n- project_id: {PROJECT_ID}", "project_id occurs 2 times; accepted: one line"),
        ("- project_id: 123", "project_id is not valid; accepted: a UUIDv4 in small letters"),
        (f"- project_id: {PROJECT_ID.upper()}", "project_id is not valid"),
        ("- project_id: 3f2b8c1e-6a4d-1c55-9b1a-0d7e5a2f9c34", "project_id is not valid"),
        ("- other: 1", "project_id is missing; `memory-custodian migrate`"),
    ],
)
def test_a_repeated_invalid_or_missing_project_id_is_an_error(project_id: str, said: str) -> None:
    (issue,) = issues(MANIFEST.replace(f"- project_id: {PROJECT_ID}", project_id))
    assert issue.severity == "ERROR"
    assert issue.message.startswith(f"manifest.md: {said}")


@requirement("CUST-B2.8-01")
@pytest.mark.parametrize(
    "old, new, said",
    [
        ("protocol_version: 0.6", "protocol_version: 0.5", "older than 0.6; `memory-custodian migrate`"),
        ("protocol_version: 0.6", "protocol_version: 0.7", "newer than this CLI supports"),
        ("protocol_version: 0.6", "protocol_version: six", "invalid protocol version"),
        ("- protocol_version: 0.6\n", "", "missing MemoryCustodian Protocol metadata"),
        ("entry_schema_version: 1", "entry_schema_version: 2", "entry_schema_version is not valid; accepted: 1"),
        ("- admission_policy: evidence-required\n", "", "admission_policy is missing"),
        ("scope-subject-facet", "none", "conflict_identity_policy is not valid; accepted: scope-subject-facet"),
        ("## Explicit only\n- archive/\n", "", "never mentions archive/"),
    ],
)
def test_metadata_and_what_every_manifest_mentions_are_checked(old: str, new: str, said: str) -> None:
    assert old in MANIFEST
    found = issues(MANIFEST.replace(old, new))
    assert [issue.severity for issue in found] == ["ERROR"]
    assert said in found[0].message


def test_a_manifest_without_trust_boundary_is_warned_of() -> None:
    (issue,) = issues(MANIFEST.replace("## Trust boundary", "## Trust"))
    assert (issue.severity, issue.code) == ("WARNING", "manifest-trust")
