"""What check finds in memory files apart from entries (§11, and as 0.9.1 did)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import entry, memory
from csbond_tests.marks import requirement
from memory_custodian.rules.file_check import file_issues
from memory_custodian.rules.finding import Issue
from memory_custodian.rules.manifest import read_manifest
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import core_template

WORDS = "word " * 130


def issues(files: dict[str, str], protocol: str = "0.6") -> list[Issue]:
    snapshot = memory(files, protocol)
    return list(file_issues(snapshot, read_manifest(snapshot.texts["manifest.md"])))


def test_a_curated_memory_has_no_issue() -> None:
    assert issues({}) == []
    assert issues({}, "0.5") == []


@requirement("CUST-B2.8-01")
@pytest.mark.parametrize(
    "files, severity, said",
    [
        (
            {"brief.md": core_template("brief.md")},
            "ERROR",
            "brief.md: generated scaffold still needs real project facts",
        ),
        ({"brief.md": "word " * 501}, "ERROR", "brief.md: over its context budget, 501/500 tokens"),
        ({"brief.md": "word " * 500}, "WARNING", "brief.md: near limit, 500/500 tokens"),
        (
            {"decisions.md": f"# Decisions\n\n## 2026-01-01 - Old\nDecision:\n{WORDS}\n"},
            "ERROR",
            "decisions.md:3: decision is too long",
        ),
        (
            {"decisions.md": f"# Decisions\n\n{entry('DEC', 1, WORDS)}"},
            "ERROR",
            "decisions.md:3: MC-DEC-20260301-00000001 is too long, 130 of 120 tokens",
        ),
        (
            {"areas/sync.md": "# Area: Sync\n"},
            "ERROR",
            "areas/sync.md exists but is missing from optional module index; `memory-custodian init --repair`",
        ),
        ({"inbox.md": "# Memory Inbox\n\n" + "- item\n" * 31}, "WARNING", "inbox.md: 31 items wait, more than 30"),
        ({"brief.md": "# Brief\n\n```text\nopen\n"}, "WARNING", "brief.md:3: a code fence opens and never closes"),
        (
            {"decisions.md": "# Decisions\n\n## MC-DEC-2026-1 — Short\n\nStatus: active\n"},
            "WARNING",
            "decisions.md:3: a heading begins with MC- and has no valid ID",
        ),
    ],
)
def test_the_issues_and_warnings_of_files(files: dict[str, str], severity: str, said: str) -> None:
    assert any(issue.severity == severity and issue.message.startswith(said) for issue in issues(files)), issues(files)


@requirement("CUST-B2.8-01")
def test_a_missing_core_file_and_a_missing_file_of_a_required_route_are_errors() -> None:
    manifest = (
        memory().texts["manifest.md"].replace("## Always load\n- brief.md", "## Always load\n- brief.md\n- team.md")
    )
    texts = {file: text for file, text in memory({"manifest.md": manifest}).texts.items() if file != "inbox.md"}
    found = list(file_issues(Snapshot("docs/memory", texts), read_manifest(manifest)))
    assert [issue.message.split(";")[0] for issue in found] == [
        "inbox.md: is missing",
        "team.md: is missing, and a route of manifest.md requires it",
    ]


@requirement("CUST-B2.8-01")
def test_a_module_folder_that_the_manifest_never_mentions_is_an_error() -> None:
    manifest = memory().texts["manifest.md"].replace("areas/", "zones/")
    messages = [issue.message for issue in issues({"manifest.md": manifest, "areas/a.md": "# Area: A\n"})]
    assert "areas/: is there, and manifest.md never mentions it" in messages


def test_a_module_of_the_index_that_does_not_exist_is_warned_of() -> None:
    index = "### Enabled areas\n- `areas/sync.md`: opened for sync"
    manifest = memory().texts["manifest.md"].replace("### Enabled areas\n- None enabled.", index)
    (issue,) = issues({"manifest.md": manifest})
    assert (issue.severity, issue.code, issue.file) == ("WARNING", "module-absent", "areas/sync.md")


@requirement("CUST-11.2-06")
def test_legacy_bullets_are_a_warning_with_their_number_and_only_in_a_current_project() -> None:
    files = {"constraints.md": f"# Constraints\n\n{entry('CON', 1)}\n- one\n- two\n"}
    (issue,) = issues(files)
    assert (issue.severity, issue.file, issue.line) == ("WARNING", "constraints.md", 15)
    assert "2 legacy entries remain readable" in issue.message
    assert issues(files, "0.5") == []
