"""Which pieces of the memory hold a topic, and which of them only a person can rewrite (§10.3)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import memory
from csbond_tests.custodian_world import FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.erasure import ForgetMode
from memory_custodian.rules.forgetting import BROAD_MATCH, plan_forget
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.snapshot import Snapshot

GUARDS = "# Do Not Use / Tombstones\n\nTombstones are newest first.\n"
MODES: tuple[ForgetMode, ...] = ("soft", "hard", "purge")


def forget(snapshot: Snapshot, topic: str = "kafka", mode: ForgetMode = "soft") -> Plan:
    return plan_forget(snapshot, topic, mode, FixedDraws())


def after(snapshot: Snapshot) -> dict[str, str]:
    return {change.path.removeprefix("docs/memory/"): change.after for change in forget(snapshot).changes}


@requirement("CUST-T-04")
def test_a_section_that_is_only_a_heading_is_matched() -> None:
    before = memory({"decisions.md": "# Decisions\n\nEntries are newest first.\n\n## Kafka\n\n## Rivers\n"})
    assert "Kafka" not in after(before)["decisions.md"]


def test_a_heading_that_holds_the_topic_above_other_bullets_is_for_a_person() -> None:
    before = memory({"constraints.md": "# Constraints\n\n## Kafka\n- one topic\n- kafka keys\n"})
    assert forget(before).blockers == ("constraints.md: h2 contains matching content",)
    all_gone = memory({"constraints.md": "# Constraints\n\n## Kafka\n- kafka keys\n\n## Rivers\n- blue\n"})
    plan = forget(all_gone)
    assert plan.blockers == ()
    assert after(all_gone)["constraints.md"] == "# Constraints\n\n## Rivers\n- blue\n"


@requirement("CUST-T-04")
@pytest.mark.parametrize("mode", MODES)
def test_a_topic_in_the_manifest_or_a_file_name_is_reported_and_blocks_hard_and_purge(mode: ForgetMode) -> None:
    manifest = (
        memory()
        .texts["manifest.md"]
        .replace(
            "### Enabled areas\n- None enabled.",
            "### Enabled areas\n- `areas/kafka.md`: opened when streams are touched",
        )
    )
    before = memory({"manifest.md": manifest, "areas/kafka.md": "# Area: Kafka\n\n- topics\n"})
    plan = forget(before, mode=mode)
    line = manifest.split("\n").index("- `areas/kafka.md`: opened when streams are touched") + 1
    notes = (
        f"manifest.md: body contains matching content (line {line})",
        "areas/kafka.md: file name contains matching content",
    )
    assert (plan.warnings if mode == "soft" else plan.blockers) == notes


@pytest.mark.parametrize("topic", ["newest first", "project_id", "Always load", "archive/", "Decisions", "inbox"])
def test_what_a_new_memory_says_of_itself_is_never_matched(topic: str) -> None:
    files = {
        "archive/README.md": "# Archive\n\nEntries moved out of memory. No task loads them; opened on purpose only.\n"
    }
    plan = forget(memory(files), topic, "purge")
    assert (plan.blockers, plan.changes) == ((), ())


def test_other_lines_of_a_manifest_are_not_reported() -> None:
    manifest = memory().texts["manifest.md"] + "\nRivers are loaded by hand.\n"
    assert forget(memory({"manifest.md": manifest})).warnings == ()


@requirement("CUST-B2.9-02")
def test_matches_in_preamble_and_body_block_every_mode() -> None:
    files = {
        "brief.md": "# Project Brief\n\nLantern prints maps through Kafka.\n",
        "preferences.md": "# Preferences\n\nEverything about kafka.\n\n- Short sentences.\n",
    }
    for mode in MODES:
        plan = forget(memory(files), mode=mode)
        assert plan.blockers == (
            "brief.md: body contains matching content",
            "preferences.md: preamble contains matching content",
        )
        assert "Manual rewrite required: 2" in plan.headline
        assert [gate.flag for gate in plan.gates] == [BROAD_MATCH]


def test_a_section_of_do_not_use_that_is_no_tombstone_blocks_hard_and_purge_only() -> None:
    before = memory({"do-not-use.md": f"{GUARDS}\n## Notes\nKafka was noisy.\n"})
    assert forget(before, mode="hard").blockers == ("do-not-use.md: h2 contains matching content",)
    assert forget(before, mode="soft").blockers == ()


def test_soft_and_hard_warn_of_an_archive_that_keeps_the_topic() -> None:
    before = memory({"archive/old.md": "# Archive\n\n- kafka once\n"})
    assert forget(before, mode="purge").warnings == ()
    for mode in MODES[:2]:
        (warning,) = forget(before, mode=mode).warnings
        assert warning == f"1 file(s) of the archive hold matching content, and {mode} leaves them; purge reaches them"
