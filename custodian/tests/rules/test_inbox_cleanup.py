"""The inbox is cleaned of what needs no judgement, and of nothing else."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import entry, memory
from csbond_tests.custodian_world import FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.inbox_cleanup import plan_inbox
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

HEAD = "# Memory Inbox\n\nEntries are newest first.\n\n"
GUARDS = "# Do Not Use / Tombstones\n\nTombstones are newest first.\n\n"


def plan(snapshot: Snapshot) -> Plan:
    return plan_inbox(snapshot, FixedDraws())


def after(snapshot: Snapshot) -> dict[str, str]:
    return {change.path.removeprefix("docs/memory/"): change.after for change in plan(snapshot).changes}


@requirement("CUST-B2.10-01")
def test_exact_duplicates_go_and_the_first_is_kept() -> None:
    before = memory({"inbox.md": f"{HEAD}## 2026-03-01\n- Draw rivers\n- fonts\n\n## 2026-02-01\n- draw rivers \n"})
    assert after(before) == {"inbox.md": f"{HEAD}## 2026-03-01\n- Draw rivers\n- fonts\n"}
    lines = plan(before).headline
    assert lines[:6] == (
        "# Compaction Plan",
        "Inbox items: 3",
        "Exact duplicates removable: 1",
        "Exact tombstone matches removable: 0",
        "Promoted candidates to archive: 0",
        "Candidates requiring Agent review: 2",
    )


@requirement("CUST-B2.10-01")
@pytest.mark.parametrize(
    "guard",
    [
        "## Tombstone: use kafka\nNo.\n",
        "- Use Kafka\n",
        entry("DNU", 1, "Use Kafka"),
        entry("TOMB", 1, "Do not bring back: use kafka", title="Use Kafka"),
    ],
    ids=["heading", "bullet", "rejected approach", "tombstone"],
)
def test_exact_matches_of_tombstones_go(guard: str) -> None:
    inbox = f"{HEAD}- Use Kafka\n- Use Kafka for events\n"
    before = memory({"inbox.md": inbox, "do-not-use.md": GUARDS + guard})
    assert after(before)["inbox.md"] == f"{HEAD}- Use Kafka for events\n"
    assert "Exact tombstone matches removable: 1" in plan(before).headline


def test_a_tombstone_no_longer_in_force_matches_nothing() -> None:
    guard = entry("DNU", 1, "Use Kafka", Status="superseded", Superseded_By="removed")
    before = memory({"inbox.md": f"{HEAD}- Use Kafka\n", "do-not-use.md": GUARDS + guard})
    assert after(before) == {}


@requirement("CUST-T-20")
def test_legacy_bullets_are_cleaned_beside_structured_candidates() -> None:
    candidate = entry("INBOX", 1, "Perhaps tiles.")
    before = memory({"inbox.md": f"{HEAD}{candidate}\n- fonts\n- fonts\n"})
    assert after(before)["inbox.md"] == f"{HEAD}{candidate}\n- fonts\n"
    assert "- [1] MC-INBOX-20260301-00000001 — Perhaps tiles." in plan(before).headline


@requirement("CUST-05.3-06")
def test_structured_candidates_that_are_equal_stay_for_review_and_none_is_promoted() -> None:
    same = [entry("INBOX", number, "Perhaps tiles.", Candidate_Type="constraint") for number in (1, 2)]
    before = memory({"inbox.md": HEAD + "\n".join(same)})
    assert plan(before).changes == ()
    assert "No deterministic inbox changes to apply." in plan(before).headline


@requirement("CUST-05.3-09", "CUST-B5.9-04")
def test_promoted_candidates_move_to_the_archive_of_the_day() -> None:
    promoted = entry("INBOX", 1, "Tiles.", Status="promoted", Promoted_To="MC-CON-20260301-00000009")
    waiting = entry("INBOX", 2, "Fonts.")
    before = memory({"inbox.md": f"{HEAD}{promoted}\n{waiting}", "changelog.md": "# Memory Changelog\n"})
    texts = after(before)
    assert list(texts) == ["archive/README.md", "archive/inbox-2026-03-02.md", "inbox.md", "changelog.md"]
    assert texts["archive/inbox-2026-03-02.md"].endswith(f"\n\n{promoted}")
    assert texts["inbox.md"] == HEAD + waiting
    assert "1 promoted to the archive" in texts["changelog.md"]


@requirement("CUST-B2.10-01")
def test_candidates_are_listed_with_their_later_lines_and_nothing_is_inferred() -> None:
    before = memory(
        {"inbox.md": f"{HEAD}## 2026-03-01\n- fonts\n  of two kinds\n    - serif\n- mirabel@papermaps.io\n"}
    )
    lines = plan(before).headline
    listed = lines[lines.index("Candidates requiring Agent review: 2") + 1 :]
    assert listed[:4] == ("- [1] fonts", "        of two kinds", "          - serif", "- [2] [redacted]")
    assert listed[4].startswith("No semantic destinations are inferred")


def test_the_last_item_that_goes_leaves_the_sentence_of_an_empty_inbox() -> None:
    before = memory({"inbox.md": f"{HEAD}- Use Kafka\n", "do-not-use.md": f"{GUARDS}- use kafka\n"})
    assert after(before)["inbox.md"] == f"{HEAD}No unprocessed memory candidates.\n"


@pytest.mark.parametrize("file", ["manifest.md", "inbox.md"])
def test_a_project_without_manifest_or_inbox_is_refused(file: str) -> None:
    texts = {name: text for name, text in memory().texts.items() if name != file}
    with pytest.raises(Refused, match=file):
        plan(Snapshot("docs/memory", texts))
