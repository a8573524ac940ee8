"""The answer of `read`, as lines and as data."""

from __future__ import annotations

from csbond_tests.marks import requirement
from memory_custodian.rules.pack_text import pack_data, pack_lines
from memory_custodian.rules.route import Module, Pack, Reason, Route

ENTRY = """\
# Constraints

## MC-CON-20260302-0000000a — Stay offline

Status: active
Scope: area:sync
Subject: MC-SUBJ-20260302-0000000b
Facet: architecture
Evidence:
- user-confirmed
- issue:#42

Constraint:
No network.

Reason:
Local first.
"""


def module(file: str, **changes: object) -> Module:
    reasons = (Reason("always-load", "general"),)
    made = Module(Route(file, f"docs/memory/{file}", True, reasons), "loaded", reasons)
    return made._replace(**changes)  # type: ignore[arg-type]


PACK = Pack(
    "debugging",
    "implementation",
    (
        module("brief.md", text="# Project Brief\n\nLantern.\n\n", limit=500),
        module("constraints.md", text=ENTRY, omitted=2, oversized=True, limit=400),
        module("decisions.md", inactive=3, inactive_statuses=("superseded", "promoted"), omitted=1, limit=800),
        module("do-not-use.md", state="missing"),
        module("preferences.md", state="absent"),
    ),
)

LISTS = """\
# Memory Context Pack
Task: debugging
Loaded:
- brief.md
- constraints.md
- decisions.md
Missing required:
- do-not-use.md
Skipped optional:
- preferences.md
Omitted:
- constraints.md: 2 complete entries omitted because of the 400-token budget
- decisions.md: 1 complete entry omitted because of the 800-token budget
Oversized atomic entries:
- constraints.md: the first entry alone is over the 400-token budget, and is loaded whole
Inactive:
- decisions.md: 3 superseded or promoted entries not loaded"""


@requirement("CUST-B2.6-01", "CUST-13.1-30", "CUST-03.1-07")
def test_a_pack_is_printed_in_the_fixed_order() -> None:
    texts = f"\n\n## brief.md\n\n# Project Brief\n\nLantern.\n\n## constraints.md\n\n{ENTRY}\n## decisions.md"
    assert "\n".join(pack_lines(PACK, False)) == LISTS + texts
    assert "\n".join(pack_lines(PACK, True)) == LISTS


def test_empty_lists_are_not_printed() -> None:
    assert pack_lines(Pack("default", "general", (module("brief.md", text="x\n"),)), True) == [
        "# Memory Context Pack",
        "Task: default",
        "Loaded:",
        "- brief.md",
    ]
    assert pack_lines(Pack("default", "general", ()), True)[-1] == "- none"


@requirement("CUST-05.3-04")
def test_candidates_are_labelled_above_their_text() -> None:
    lines = pack_lines(Pack("compact", "maintenance", (module("inbox.md", text="- maybe\n", candidates=True),)), False)
    assert lines[-5:] == ["", "## inbox.md", "Candidates: unconfirmed, not project memory.", "", "- maybe"]


@requirement("CUST-03.1-06", "CUST-03.1-08")
def test_data_and_lines_come_from_one_model() -> None:
    data = pack_data(PACK, False)
    assert (data["task"], data["category"]) == ("debugging", "implementation")
    first, second, third, missing, absent = data["modules"]
    assert first["reasons"] == [{"source": "always-load", "detail": "general"}]
    assert (first["module"], first["file"], first["tokens"], first["limit"]) == (
        "docs/memory/brief.md",
        "brief.md",
        5,
        500,
    )
    assert (second["omitted_units"], second["oversized"], third["inactive_units"]) == (2, True, 3)
    assert (missing["state"], absent["state"], "text" in missing) == ("missing", "absent", False)
    assert second["text"] == ENTRY
    assert second["entries"] == [
        {
            "id": "MC-CON-20260302-0000000a",
            "title": "Stay offline",
            "status": "active",
            "scope": "area:sync",
            "subject": "MC-SUBJ-20260302-0000000b",
            "facet": "architecture",
            "evidence": ["user-confirmed", "issue:#42"],
            "bodies": {"Constraint": "No network.", "Reason": "Local first."},
        }
    ]


def test_names_only_leaves_texts_out_of_the_data() -> None:
    assert not any("text" in found or "entries" in found for found in pack_data(PACK, True)["modules"])
