"""The verdict of check is made of every rule (§§5, 10, 11)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import entry, memory, subject, subjects
from csbond_tests.marks import requirement
from memory_custodian.rules.checks import check_all, unreadable_issues
from memory_custodian.rules.finding import Issue
from memory_custodian.rules.manifest import read_manifest
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.scan import scan
from memory_custodian.rules.snapshot import Snapshot

SECRET = "ghp_" + "q7Zk2mX9vB4tR8wL1nJ6pC3s"


def issues(snapshot: Snapshot) -> tuple[Issue, ...]:
    findings = tuple(finding for file, text in snapshot.texts.items() for finding in scan(file, text))
    manifest = read_manifest(snapshot.texts.get("manifest.md", ""))
    return check_all(snapshot, index_of(snapshot), manifest, findings)


def codes(files: dict[str, str]) -> set[str]:
    return {issue.code for issue in issues(memory(files))}


def test_a_curated_memory_is_well() -> None:
    assert issues(memory()) == ()


@pytest.mark.parametrize(
    "files, code",
    [
        ({"manifest.md": memory().texts["manifest.md"].replace("project_id", "id")}, "manifest-metadata"),
        ({"manifest.md": memory().texts["manifest.md"].replace("## Always load", "## Always")}, "route-heading"),
        ({"brief.md": "word " * 501}, "file-budget"),
        ({"decisions.md": f"# Decisions\n\n{entry('DEC', 1, Status='open')}"}, "entry-status"),
        ({"subjects.md": subjects(subject(Kind="thing"))}, "subject"),
        ({"brief.md": f"Use {SECRET}.\n"}, "secret"),
    ],
)
def test_each_part_of_the_check_is_in_it(files: dict[str, str], code: str) -> None:
    assert code in codes(files)


def test_agent_files_are_judged_too() -> None:
    snapshot = memory()._replace(project_texts={"AGENTS.md": "# Decisions\n"})
    assert [issue.code for issue in issues(snapshot)] == ["agent-file"]


@requirement("CUST-10.1-15")
def test_an_evident_secret_fails_by_number_and_without_its_value() -> None:
    (issue,) = issues(memory({"brief.md": f"Use {SECRET}.\n"}))
    assert issue.severity == "ERROR"
    assert issue.message == "1 evident secret(s) in brief.md; run `memory-custodian check --security`"


@requirement("CUST-10.1-16", "CUST-10.2-07")
def test_doubtful_findings_fail_nothing() -> None:
    doubtful = "password=" + "hunter77 in /home/" + "mirabel/maps\n"
    assert all(issue.severity == "WARNING" for issue in issues(memory({"brief.md": doubtful})))


@requirement("CUST-10.2-08")
def test_a_path_of_a_machine_in_preferences_has_its_warning_with_its_place() -> None:
    text = "# Preferences\n\n- Maps lie in /Users/" + "mirabel/maps\n"
    found = [issue for issue in issues(memory({"preferences.md": text})) if issue.code == "preference-path"]
    assert [(issue.severity, issue.line, issue.message) for issue in found] == [
        ("WARNING", 3, "preferences.md:3: contains a machine-specific absolute path")
    ]


@pytest.mark.parametrize("version", ["0.7", "abc"])
def test_of_an_unknown_protocol_only_that_is_said_and_what_the_scans_found(version: str) -> None:
    files = {"decisions.md": f"# Decisions\n\n{entry('DEC', 1, Status='open')}", "brief.md": f"Use {SECRET}.\n"}
    assert {issue.code for issue in issues(memory(files, version))} == {"manifest-protocol", "secret"}


def test_a_memory_without_a_manifest_is_reported_and_not_refused() -> None:
    texts = {file: text for file, text in memory().texts.items() if file != "manifest.md"}
    messages = [issue.message for issue in issues(Snapshot("docs/memory", texts)) if issue.severity == "ERROR"]
    assert messages == ["manifest.md: is missing; `memory-custodian init` creates missing core files"]


def test_a_file_that_cannot_be_read_is_an_error_with_its_message() -> None:
    message = "brief.md: byte 3 is not UTF-8; accepted: UTF-8 text"
    assert unreadable_issues({"brief.md": message}) == (Issue("ERROR", "file-unreadable", "brief.md", message),)
