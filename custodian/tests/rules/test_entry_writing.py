"""The file changes of a plan that writes one entry."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.entry_writing import Link, changes_with_entry, size_report
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

MANIFEST = """\
# Memory Manifest

## Optional module index

### Enabled rules
- None enabled.

### Enabled profiles
- None enabled.

### Enabled areas
- None enabled.
"""
ENTRY = "## MC-AREA-20260302-00000001 — x\n\nStatus: active\nScope: area:sync\nEvidence:\n- pr:#1\n\nDecision:\nx\n"
OLDER = ENTRY.replace("00000001", "00000002")


def snapshot(**texts: str) -> Snapshot:
    """A memory set with a manifest and other files by stem."""
    return Snapshot("docs/memory", {"manifest.md": MANIFEST, **{f"{stem}.md": text for stem, text in texts.items()}})


@requirement("CUST-B2.5-04")
def test_a_missing_module_is_made_from_its_template_and_indexed() -> None:
    changes = changes_with_entry(snapshot(), "areas/sync.md", ENTRY, "Added.", "2026-03-02")
    assert [(change.path, change.operation) for change in changes] == [
        ("docs/memory/areas/sync.md", "create"),
        ("docs/memory/manifest.md", "replace"),
    ]
    assert changes[0].after.startswith("# Area: Sync\n\n")
    assert changes[0].after.endswith(f"\n\n{ENTRY}")
    assert "- `areas/sync.md`: " in changes[1].after


def test_a_module_that_is_indexed_leaves_the_manifest_alone() -> None:
    indexed = MANIFEST.replace("areas\n- None enabled.", "areas\n- `areas/sync.md`: open it")
    found = Snapshot("docs/memory", {"manifest.md": indexed, "areas/sync.md": "# Area: Sync\n"})
    assert len(changes_with_entry(found, "areas/sync.md", ENTRY, "Added.", "2026-03-02")) == 1


@requirement("CUST-06.2-06")
def test_the_linked_entry_changes_in_the_same_plan_be_it_in_the_same_file_or_another() -> None:
    (old,) = parse_entries("decisions.md", f"# Decisions\n\n{OLDER}")
    link = Link(old, "superseded", "Superseded-By", "MC-AREA-20260302-00000001")
    found = snapshot(
        decisions=f"# Decisions\n\n{OLDER}", constraints="# Constraints\n", changelog="# Memory Changelog\n"
    )
    same = changes_with_entry(found, "decisions.md", ENTRY, "Added.", "2026-03-02", links=[link])
    assert [change.path for change in same] == ["docs/memory/decisions.md", "docs/memory/changelog.md"]
    assert same[0].after.index("00000001 — x") < same[0].after.index("Superseded-By: MC-AREA-20260302-00000001")
    assert same[0].summary == "entry added, MC-AREA-20260302-00000002 superseded"
    assert "- Added.\n" in same[1].after
    other = changes_with_entry(found, "constraints.md", ENTRY, "Added.", "2026-03-02", links=[link])
    assert [change.path.removeprefix("docs/memory/") for change in other] == [
        "constraints.md",
        "decisions.md",
        "changelog.md",
    ]


def test_a_file_that_differs_from_another_in_case_only_is_refused() -> None:
    found = Snapshot("docs/memory", {"manifest.md": MANIFEST, "areas/sync.md": "# Area: Sync\n"})
    with pytest.raises(Refused, match=r"areas/Sync\.md would differ from areas/sync\.md in case only"):
        changes_with_entry(found, "areas/Sync.md", ENTRY, "Added.", "2026-03-02")


def test_line_ends_of_a_file_are_kept_in_its_change() -> None:
    found = snapshot(decisions="# Decisions\n")._replace(crlf=frozenset({"decisions.md"}))
    (change,) = changes_with_entry(found, "decisions.md", ENTRY, "Added.", "2026-03-02")
    assert change.bytes_after.count(b"\r\n") == change.after.count("\n")


@requirement("CUST-T-11", "CUST-B2.5-02")
@pytest.mark.parametrize(
    "words, allow_long, warned, blocked",
    [
        (95, False, "", ""),
        (96, False, "96 of 120", ""),
        (120, False, "120 of 120", ""),
        (121, False, "", "by 1 tokens"),
        (121, True, "explicitly allowed long decision", ""),
        (95, True, "", ""),
    ],
)
def test_a_decision_is_measured_by_its_words(words: int, allow_long: bool, warned: str, blocked: str) -> None:
    text = ENTRY.replace("Decision:\nx", f"Decision:\n{'word ' * words}".rstrip())
    report = size_report(text, allow_long=allow_long)
    assert report.headline == (f"Decision entry budget: {words}/120 tokens",)
    assert (warned in "".join(report.warnings), bool(report.warnings)) == (True, bool(warned))
    assert (blocked in "".join(report.blockers), bool(report.blockers)) == (True, bool(blocked))
    assert not blocked or report.blockers[0].startswith("Not added: shorten Decision")
