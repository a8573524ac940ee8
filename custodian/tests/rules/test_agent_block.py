"""The managed block of AGENTS.md, CLAUDE.md and GEMINI.md."""

from __future__ import annotations

import re

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.agent_block import BLOCK_END, BLOCK_START, block_text, with_block
from memory_custodian.rules.agent_plans import plan_agent_files
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.trust import TRUST_BOUNDARY

BLOCK = block_text("docs/memory")
OLD = f"# Rules\n\nBefore.\n\n{BLOCK_START}\nold words\n{BLOCK_END}\n\nAfter.\n"
OURS = """\
# Rules

## MemoryCustodian

This project uses MemoryCustodian; read docs/memory/manifest.md.

## Style

Tabs.
"""


@requirement("CUST-B1.7-01")
def test_the_block_has_two_markers_five_steps_and_names_manifest_brief_and_archive() -> None:
    assert BLOCK.startswith("<!-- memory-custodian:start -->\n## MemoryCustodian\n")
    assert BLOCK.endswith("\n<!-- memory-custodian:end -->\n")
    assert len(re.findall(r"^[1-5]\. ", BLOCK, re.MULTILINE)) == 5
    for named in ("`docs/memory/manifest.md`", "`docs/memory/brief.md`", "`docs/memory/archive/`"):
        assert named in BLOCK
    assert "After meaningful decisions" in BLOCK
    assert TRUST_BOUNDARY in BLOCK
    assert "`docs/team/notes/manifest.md`" in block_text("docs/team/notes")


@requirement("CUST-12-06")
def test_a_new_file_has_a_title_and_an_existing_one_keeps_every_byte_before_the_block() -> None:
    assert with_block("AGENTS.md", None, "docs/memory", forced=False) == (f"# Agent Instructions\n\n{BLOCK}", "written")
    assert with_block("AGENTS.md", "# Mine\n\nTabs.\n", "docs/memory", forced=False) == (
        f"# Mine\n\nTabs.\n\n{BLOCK}",
        "written",
    )
    assert with_block("AGENTS.md", "", "docs/memory", forced=False).text == BLOCK


@requirement("CUST-12-06")
def test_a_block_that_is_there_is_kept_and_replaced_in_place_only_when_forced() -> None:
    assert with_block("AGENTS.md", OLD, "docs/memory", forced=False) == (OLD, "kept")
    renewed = with_block("AGENTS.md", OLD, "docs/memory", forced=True)
    assert renewed == (f"# Rules\n\nBefore.\n\n{BLOCK}\nAfter.\n", "repaired")
    for forced in (True, False):
        assert with_block("AGENTS.md", renewed.text, "docs/memory", forced=forced) == (
            renewed.text,
            "kept (already current)",
        )


@requirement("CUST-B2.3-06")
@pytest.mark.parametrize(
    "text",
    [
        f"{BLOCK_START}\nx\n",
        f"x\n{BLOCK_END}\n",
        f"{BLOCK_END}\nx\n{BLOCK_START}\n",
        f"{BLOCK_START}\n{BLOCK_START}\nx\n{BLOCK_END}\n",
    ],
)
def test_markers_that_do_not_pair_are_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"AGENTS\.md: malformed MemoryCustodian managed block"):
        with_block("AGENTS.md", text, "docs/memory", forced=True)


@requirement("CUST-B2.3-06")
def test_two_blocks_are_refused() -> None:
    with pytest.raises(Refused, match=r"AGENTS\.md: 2 MemoryCustodian managed blocks; accepted: one"):
        with_block("AGENTS.md", BLOCK + BLOCK, "docs/memory", forced=False)


@requirement("CUST-B2.3-06")
def test_an_unmanaged_section_is_kept_and_converted_only_when_forced_and_ours() -> None:
    assert with_block("AGENTS.md", OURS, "docs/memory", forced=False) == (OURS, "kept (unmanaged legacy section)")
    converted = with_block("AGENTS.md", OURS, "docs/memory", forced=True)
    assert converted == (f"# Rules\n\n{BLOCK}\n## Style\n\nTabs.\n", "repaired")
    at_the_end = OURS[: OURS.index("## Style")]
    assert with_block("AGENTS.md", at_the_end, "docs/memory", forced=True).text == f"# Rules\n\n{BLOCK}"
    foreign = OURS.replace("This project uses MemoryCustodian", "We once used it")
    assert with_block("AGENTS.md", foreign, "docs/memory", forced=False).text == foreign
    with pytest.raises(Refused, match=r"AGENTS\.md: the section MemoryCustodian was not written by"):
        with_block("AGENTS.md", foreign, "docs/memory", forced=True)
    with pytest.raises(Refused, match=r"AGENTS\.md: 2 sections named MemoryCustodian without markers"):
        with_block("AGENTS.md", OURS + OURS, "docs/memory", forced=False)


def test_a_section_in_a_code_fence_is_an_example() -> None:
    text = "# Rules\n\n```\n## MemoryCustodian\n```\n"
    assert with_block("AGENTS.md", text, "docs/memory", forced=False) == (f"{text}\n{BLOCK}", "written")


def test_each_named_file_has_its_plan_and_a_kept_one_no_change() -> None:
    texts = {"AGENTS.md": BLOCK, "CLAUDE.md": "x\n"}
    snapshot = Snapshot("docs/memory", {}, frozenset({"CLAUDE.md"}), texts)
    kept, changed, made = plan_agent_files(snapshot, ("AGENTS.md", "CLAUDE.md", "GEMINI.md"), forced=False)
    assert (kept.state, kept.change) == ("kept (already current)", None)
    assert changed.change is not None
    assert (changed.change.path, changed.change.before, changed.change.crlf) == ("CLAUDE.md", "x\n", True)
    assert made.change is not None
    assert (made.change.operation, made.change.crlf) == ("create", False)
