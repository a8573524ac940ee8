"""Where a new entry goes."""

from __future__ import annotations

import random

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Draft, Evidence
from memory_custodian.rules.entry_text import parse_entries, render
from memory_custodian.rules.insertion import INBOX_SENTINEL, append, placed, prepend
from memory_custodian.rules.parse_blocks import APART, parse
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.removing import without

ENTRY = "## MC-CON-20260302-00000001 — x\n\nStatus: active\n\nConstraint:\nx\n"
OLDER = ENTRY.replace("00000001", "00000002")


@requirement("CUST-B1.4-01")
@pytest.mark.parametrize(
    "text, after",
    [
        ("", ENTRY),
        ("\n\n", ENTRY),
        ("# T\n", f"# T\n\n{ENTRY}"),
        ("# T", f"# T\n\n{ENTRY}"),
        ("# T\n\n\n\nNewest first.\n\n\n", f"# T\n\n\n\nNewest first.\n\n{ENTRY}"),
        (f"# T\n\nNewest first.\n{OLDER}", f"# T\n\nNewest first.\n\n{ENTRY}\n{OLDER}"),
        ("# T\n\n- a\n- b\n\n\n", f"# T\n\n{ENTRY}\n{APART}\n\n- a\n- b\n\n\n"),
        ("# T\n\nProse.  \n\n## Old\n- a\n", f"# T\n\nProse.  \n\n{ENTRY}\n## Old\n- a\n"),
        ("- a\n", f"{ENTRY}\n{APART}\n\n- a\n"),
        ("## Old\n\nx", f"{ENTRY}\n## Old\n\nx"),
        ("Prose.\n\n# Later\n", f"Prose.\n\n{ENTRY}\n# Later\n"),
        ("# T\n\n```\n## x\n- y\n```\n\n- a\n", f"# T\n\n```\n## x\n- y\n```\n\n{ENTRY}\n{APART}\n\n- a\n"),
    ],
)
def test_an_entry_goes_behind_title_and_preamble_and_before_everything_else(text: str, after: str) -> None:
    assert prepend(text, ENTRY) == after
    assert placed("constraints.md", text, ENTRY) == after


@requirement("CUST-B1.4-02")
def test_the_sentence_of_an_empty_inbox_goes_with_the_first_item() -> None:
    inbox = f"# Memory Inbox\n\nEntries are newest first.\n\n{INBOX_SENTINEL}\n"
    assert prepend(inbox, ENTRY) == f"# Memory Inbox\n\nEntries are newest first.\n\n{ENTRY}"
    fenced = f"# Memory Inbox\n\n```\n{INBOX_SENTINEL}\n```\n"
    assert prepend(fenced, ENTRY) == f"{fenced}\n{ENTRY}"


def test_an_old_form_is_put_at_the_end_behind_a_blank_line() -> None:
    assert append("# Constraints\n\n- a\n\n\n", "- b\n") == "# Constraints\n\n- a\n\n- b\n"
    assert placed("constraints.md", "# Constraints\n\n- a\n", "- b\n", newest_first=False).endswith("- a\n\n- b\n")


@requirement("CUST-P-08")
def test_where_the_front_would_take_something_in_the_entry_goes_to_the_end() -> None:
    candidate = ENTRY.replace("MC-CON", "MC-INBOX")
    text = "# Memory Inbox\n\n- a\n\nReason:\nold\n\n- b\n"
    assert placed("inbox.md", text, candidate) == f"{text}\n{candidate}"
    old_decision = "## 2026-03-02 - Ship\nDecision:\nShip.\n"
    assert placed("decisions.md", "# Decisions\n\n- a\n", old_decision) == f"# Decisions\n\n- a\n\n{old_decision}"


def test_where_an_old_bullet_would_change_a_section_at_the_end_it_goes_to_the_front() -> None:
    text = "# Constraints\n\n## Notes\nProse.\n"
    assert placed("constraints.md", text, "- b\n", newest_first=False) == "# Constraints\n\n- b\n\n## Notes\nProse.\n"


@requirement("CUST-P-08")
@pytest.mark.parametrize("message", ["Mind these:", "\u6ce8\u610f\uff1a"])
def test_a_message_that_ends_with_a_colon_takes_no_bullets_in(message: str) -> None:
    draft = Draft("MC-CON-20260302-00000001", "constraint", "active", message, "project", (Evidence("user-confirmed"),))
    made = placed("constraints.md", "# Constraints\n\n- old\n", render(draft))
    assert [block.kind for block in parse(made)] == ["title", "entry", "preamble", "bullet"]
    assert parse_entries("constraints.md", made)[0].body("Constraint") == message
    two = placed("constraints.md", made, render(draft._replace(id="MC-CON-20260302-00000002")))
    assert without(two, {1}) == made


@requirement("CUST-P-08", "CUST-11.2-07")
def test_bullets_stay_apart_from_whatever_entries_come_above_them_and_go() -> None:
    bullets = "# Constraints\n\n- old\n"
    first = placed("constraints.md", bullets, OLDER)
    both = placed("constraints.md", first, ENTRY)
    assert both == f"# Constraints\n\n{ENTRY}\n{OLDER}\n{APART}\n\n- old\n"
    assert without(both, {2}) == f"# Constraints\n\n{ENTRY}\n{APART}\n\n- old\n"
    assert without(both, {1, 2}) == bullets
    assert without(first, {3}) == f"# Constraints\n\n{OLDER}"
    assert placed("constraints.md", f"# Constraints\n\n{APART}\n\n- old\n", OLDER) == first


@pytest.mark.parametrize("message", [APART, f"Mind this.\n{APART}\n\nAnd this."])
def test_a_message_that_reads_like_the_line_between_is_a_message(message: str) -> None:
    draft = Draft("MC-CON-20260302-00000001", "constraint", "active", message, "project", (Evidence("user-confirmed"),))
    made = placed("constraints.md", "# Constraints\n\n- old\n", render(draft))
    assert parse_entries("constraints.md", made)[0].body("Constraint") == message
    assert [block.kind for block in parse(made)] == ["title", "entry", "preamble", "bullet"]


@requirement("CUST-T-03")
def test_a_stray_fence_that_would_swallow_an_entry_is_refused_by_its_line() -> None:
    message = "## x"
    draft = Draft("MC-CON-20260302-00000001", "constraint", "active", message, "project", (Evidence("pr", "1"),))
    with pytest.raises(Refused, match=r"^constraints\.md: .*opens in line 3 never closes") as refused:
        placed("constraints.md", "# Constraints\n\n```\n\n", render(draft))
    assert "\n" not in refused.value.message
    assert placed("constraints.md", "# Constraints\n\n```\n\n", ENTRY) == f"# Constraints\n\n```\n\n{ENTRY}"


@requirement("CUST-P-08", "CUST-T-17", "CUST-11.2-07")
@pytest.mark.parametrize("seed", range(40))
def test_whatever_a_file_holds_a_new_entry_is_read_whole_and_takes_nothing_with_it(seed: int) -> None:
    draws = random.Random(f"insertion {seed}")
    lines = (
        "## Old",
        "# Part",
        "- a",
        "* b",
        "  more",
        "text",
        "",
        "",
        "Reason:",
        "Status: x",
        "```",
        "~~~",
        "Decision:",
    )
    for _ in range(25):
        text = "".join(f"{draws.choice(lines)}\n" for _ in range(draws.randrange(12)))
        message = "\n".join(draws.choice(lines) for _ in range(draws.randrange(1, 6))) or "x"
        draft = Draft("MC-CON-20260302-00000001", "constraint", "active", message, "project", (Evidence("pr", "1"),))
        try:
            made = placed("constraints.md", text, render(draft))
        except Refused:
            assert "```" in text or "~~~" in text
            continue
        (entry,) = parse_entries("constraints.md", made)
        assert entry.body("Constraint") == message
        place = next(at for at, block in enumerate(parse(made)) if block.entry_id)
        assert without(made, {place}).split() == text.replace(INBOX_SENTINEL, "").split()
        assert made.count(APART) <= 1
        for at, block in enumerate(parse(made)):
            if block.removable and at != place:
                assert render(draft).rstrip() in without(made, {at})
