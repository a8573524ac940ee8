"""How the state of a memory is told."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_world import PROJECT_ID
from csbond_tests.marks import requirement
from memory_custodian.rules.manifest import read_manifest
from memory_custodian.rules.protocol import CORE_FILES
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.status_lines import Status, status_data, status_lines, status_of
from memory_custodian.rules.templates import core_template

WELL = {
    **{file: core_template(file, version="0.10.0", project_id=PROJECT_ID) for file in CORE_FILES},
    "brief.md": "# Project Brief\n\nLantern turns field notes into maps.\n",
}


def state(**texts: str | None) -> Status:
    named = {f"{stem.replace('_', '-').replace('--', '/')}.md": text for stem, text in texts.items()}
    known = {file: text for file, text in {**WELL, **named}.items() if text is not None}
    return status_of(Snapshot("docs/memory", known), read_manifest(known.get("manifest.md", "")))


def line(status: Status, file: str) -> str:
    return next(line for line in status_lines(status) if line.startswith(f"{file}: "))


@requirement("CUST-B2.7-01")
def test_a_well_memory_has_one_ok_line_a_core_file() -> None:
    status = state()
    assert status.well
    lines = status_lines(status)
    assert lines[0] == "Protocol version: 0.6 (current)"
    assert [line.partition(",")[0] for line in lines[1:8]] == [f"{file}: OK" for file in CORE_FILES]
    assert lines[8:] == [
        "preferences.md: not enabled",
        "changelog.md: not enabled",
        "rules/: not enabled",
        "profiles/: not enabled",
        "areas/: not enabled",
        "archive/: not enabled",
    ]


LONG = "## Ship\nDecision:\n" + "word " * 121 + "\n"


@requirement("CUST-B2.7-01")
@pytest.mark.parametrize(
    "texts, said",
    [
        ({"inbox": None}, "inbox.md: MISSING"),
        ({"brief": core_template("brief.md")}, "brief.md: NEEDS CURATION, "),
        ({"brief": core_template("brief.md") + "word " * 500}, "brief.md: NEEDS CURATION, "),
        ({"constraints": "- " + "word " * 401}, "constraints.md: OVER BUDGET, 402 tokens/400 max"),
        ({"constraints": "- " + "word " * 319}, "constraints.md: NEAR LIMIT, 320 tokens/400 max"),
        ({"constraints": "- " + "word " * 318}, "constraints.md: OK, 319 tokens/400 max"),
        ({"decisions": LONG}, "decisions.md: LONG ENTRIES, 126 tokens/800 max, 1 entries, 1 over 120 tokens"),
        ({"decisions": LONG.replace("Decision:", "Notes")}, "decisions.md: OK, 125 tokens/800 max, 1 entries"),
        ({"decisions": LONG * 7}, "decisions.md: OVER BUDGET, 882 tokens/800 max, 7 entries"),
        (
            {"do_not_use": "## Tombstone: A\nx\n\n## Tombstone: B\ny\n"},
            "do-not-use.md: OK, 12 tokens/400 max, 2 entries",
        ),
        ({"inbox": "## Today\n- a\n- b\n\n- c\n"}, "inbox.md: OK, 9 tokens, 3 items"),
        ({"preferences": "- x\n"}, "preferences.md: OK, 2 tokens/300 max"),
        ({"changelog": "word " * 801}, "changelog.md: OVER BUDGET, "),
        ({"rules--output": "- x\n", "rules--README": "# R\n"}, "rules/: enabled, 1 markdown file(s)"),
        ({"profiles--README": "# R\n"}, "profiles/: enabled, empty"),
    ],
)
def test_each_file_has_the_first_state_that_holds_and_its_counts(texts: dict[str, str | None], said: str) -> None:
    status = state(**texts)
    shown = line(status, said.partition(":")[0])
    assert shown.startswith(said)
    assert status.well == any(word in said for word in (": OK", "enabled, "))


def test_a_full_inbox_has_a_hint_that_can_be_run() -> None:
    assert "memory-custodian compact" not in line(state(inbox="- x\n" * 30), "inbox.md")
    assert "memory-custodian compact" in line(state(inbox="- x\n" * 31), "inbox.md")


@pytest.mark.parametrize(
    "version, said, well",
    [
        ("0.5", "0.5 (migration available to 0.6)", True),
        ("0.7", "0.7 (newer than CLI supports 0.6)", False),
        ("six", "six (invalid)", False),
        ("", "missing (migration available to 0.6)", False),
    ],
)
def test_the_protocol_is_told_with_what_can_be_done(version: str, said: str, well: bool) -> None:
    status = state(manifest=WELL["manifest.md"].replace("protocol_version: 0.6", f"protocol_version: {version}"))
    assert status_lines(status)[0] == f"Protocol version: {said}"
    assert status.well is well
    assert status_data(status)["protocol"]["version"] == (version or None)


def test_an_older_project_needs_no_registry() -> None:
    old = WELL["manifest.md"].replace("protocol_version: 0.6", "protocol_version: 0.5")
    assert not any(shown.startswith("subjects.md") for shown in status_lines(state(manifest=old, subjects=None)))
    assert line(state(subjects=None), "subjects.md").startswith("subjects.md: MISSING")


@requirement("CUST-P-06")
def test_the_data_have_the_same_values() -> None:
    data = status_data(state(areas__sync="x", inbox="- a\n"))
    files = {file["file"]: file for file in data["files"]}
    assert files["inbox.md"] == {
        "file": "inbox.md",
        "state": "OK",
        "tokens": 2,
        "limit": None,
        "entries": None,
        "items": 1,
        "hints": [],
    }
    assert data["protocol"] == {"version": "0.6", "state": "current"}
    assert [folder["folder"] for folder in data["folders"]] == ["rules", "profiles", "areas", "archive"]
