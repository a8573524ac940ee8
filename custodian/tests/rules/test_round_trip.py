"""Random texts: what is written comes back, and what is cut into blocks stays whole."""

from __future__ import annotations

import random

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Draft, Evidence
from memory_custodian.rules.entry_text import parse_entries, render
from memory_custodian.rules.parse_blocks import groups, parse
from memory_custodian.rules.removing import without

LINES = (
    "## Heading",
    "# Title",
    "### Third",
    "## 2026-03-02",
    "## Tombstone: boats",
    "## MC-DEC-20260302-00000001 — Ship it",
    "## MC-SUBJ-20260302-00000002 — Library X",
    "Status: active",
    "Evidence:",
    "Decision:",
    "Reason:",
    "Note: prose",
    "- bullet",
    "* star",
    "+ plus",
    "  - nested",
    "-no bullet",
    "```",
    "```text",
    "````",
    "~~~",
    "   ```",
    "    ```",
    "plain words",
    "  indented",
    "\t",
    "",
    "",
    "",
    "\u5730\u56fe\u6253\u5370\uff1a\u5f69\u8272",
    "caf\u00e9 \U0001f5fa",
    "odd\u2028line\x0bends\x85here",
    "No unprocessed memory candidates.",
)
ENDS = ("\n", "\n", "\n", "\n", "\r\n", "\r")


def text_of(draws: random.Random, most: int) -> str:
    """Some lines in any order, with any line ends, the last perhaps without one."""
    text = "".join(draws.choice(LINES) + draws.choice(ENDS) for _ in range(draws.randrange(most)))
    return text if draws.random() < 0.5 else text + draws.choice(LINES)


@requirement("CUST-T-03")
@pytest.mark.parametrize("seed", range(40))
def test_the_blocks_of_any_text_joined_are_the_text(seed: int) -> None:
    draws = random.Random(f"blocks {seed}")
    for _ in range(25):
        text = text_of(draws, 30)
        blocks = parse(text)
        assert "".join(block.text for block in blocks) == text
        assert [block for group in groups(blocks) for block in group] == list(blocks)
        assert all(block.text for block in blocks)


@requirement("CUST-P-08")
@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_removed_the_rest_keeps_its_words_and_its_order(seed: int) -> None:
    draws = random.Random(f"without {seed}")
    for _ in range(25):
        text = text_of(draws, 30).replace("\r", "")
        blocks = parse(text)
        removable = [at for at, block in enumerate(blocks) if block.removable]
        doomed = {at for at in removable if draws.random() < 0.4}
        left = without(text, doomed)
        at = 0
        for place, block in enumerate(blocks):
            if place not in doomed and block.kind != "heading":
                found = left.find(block.text.rstrip(), at)
                assert found >= 0, (text, doomed)
                at = found + len(block.text.rstrip())


@requirement("CUST-T-17")
@pytest.mark.parametrize("seed", range(40))
def test_any_message_and_reason_come_back_as_they_were_in_any_file(seed: int) -> None:
    draws = random.Random(f"entries {seed}")
    for _ in range(25):
        message, reason = text_of(draws, 8) or "x", text_of(draws, 8)
        draft = Draft(
            id="MC-CON-20260302-a1b2c3d4",
            type="constraint",
            status="active",
            message=message,
            scope="project",
            evidence=(Evidence("user-confirmed"),),
            reason=reason,
        )
        written = render(draft)
        (entry,) = parse_entries("constraints.md", f"# Constraints\n\n{written}\n- old bullet\n\n## Old\n- more\n")
        assert entry.bodies == (("Constraint", message), *([("Reason", reason)] if reason else []))
        assert [name for name, _ in entry.fields] == ["Status", "Scope", "Evidence"]
        assert "".join(block.text for block in parse(written)) == written


@pytest.mark.parametrize("seed", range(10))
def test_a_message_of_any_characters_comes_back_as_it_was(seed: int) -> None:
    draws = random.Random(f"characters {seed}")
    pool = "`~#-*+: \n\r\t\x00\x0b\x0c\x1c\x85\u00a0\u2028\ufeffaZ9\u5730\U0001f5fa"
    for _ in range(200):
        message = "".join(draws.choice(pool) for _ in range(draws.randrange(1, 40)))
        draft = Draft("MC-PREF-20260302-a1b2c3d4", "preference", "active", message, "project", (Evidence("pr", "1"),))
        (entry,) = parse_entries("preferences.md", render(draft))
        assert entry.body("Preference") == message
