"""What the preview of a forgetting shows of each piece that goes (§§8.1, 10.3)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import entry, memory
from csbond_tests.custodian_world import FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.erasure import ForgetMode
from memory_custodian.rules.forgetting import plan_forget
from memory_custodian.rules.parse_blocks import APART


def shown_of(file: str, text: str, mode: ForgetMode) -> list[str]:
    """The lines about a file in the preview of a forgetting."""
    plan = plan_forget(memory({file: text}), "kafka", mode, FixedDraws())
    return [line for line in plan.headline if line.startswith(f"- {file}: ")]


@requirement("CUST-B2.9-01")
@pytest.mark.parametrize(
    "mode, shown",
    [("soft", "Use kafka (lines 4–6)"), ("hard", "bullet (lines 4–6)"), ("purge", "bullet (lines 4–6)")],
)
def test_a_preview_shows_how_far_a_unit_reaches_that_goes(mode: ForgetMode, shown: str) -> None:
    bullets = "# Preferences\n\n- Short.\n- Use kafka\n  - in blue\n  - and in green\n\n\n- kafka\n"
    last = "kafka (line 9)" if mode == "soft" else "bullet (line 9)"
    assert shown_of("preferences.md", bullets, mode) == [
        f"- preferences.md: {shown}",
        f"- preferences.md: {last}",
    ]


@pytest.mark.parametrize("mode", ["hard", "purge"])
def test_a_tombstone_that_goes_is_shown_with_its_lines(mode: ForgetMode) -> None:
    guards = "# Do Not Use / Tombstones\n\n## Tombstone: kafka\nNo.\n"
    assert shown_of("do-not-use.md", guards, mode) == ["- do-not-use.md: h2 (lines 3–4)"]


@pytest.mark.parametrize("mode", ["soft", "hard", "purge"])
def test_the_line_between_an_entry_and_bullets_tells_nothing_of_the_project(mode: ForgetMode) -> None:
    before = memory({"decisions.md": f"# Decisions\n\n{entry('DEC', 2)}\n{APART}\n\n- old\n"})
    plan = plan_forget(before, "bullets below", mode, FixedDraws())
    assert (plan.blockers, [change.path for change in plan.changes if "decisions" in change.path]) == ((), [])
