"""Where a line of the changelog goes."""

from __future__ import annotations

from csbond_tests.marks import requirement
from memory_custodian.rules.changelog import logged
from memory_custodian.rules.templates import module_template

EMPTY = module_template("changelog.md")
TODAY = "2026-03-02"


@requirement("CUST-B1.3-01")
def test_a_first_line_stands_behind_title_and_preamble() -> None:
    assert logged(EMPTY, TODAY, "Enabled optional memory module changelog.md.") == (
        "# Memory Changelog\n\nEntries are newest first.\n\n"
        "## 2026-03-02\n- Enabled optional memory module changelog.md.\n"
    )


def test_a_new_day_stands_before_the_older_ones() -> None:
    old = EMPTY + "\n## 2026-03-01\n- Older.\n"
    assert logged(old, TODAY, "Newer.") == EMPTY + "\n## 2026-03-02\n- Newer.\n\n## 2026-03-01\n- Older.\n"


def test_one_day_has_one_heading_with_the_newest_line_first() -> None:
    text = logged(logged(EMPTY, TODAY, "First."), TODAY, "Second.")
    assert text == EMPTY + "\n## 2026-03-02\n- Second.\n- First.\n"


def test_a_day_that_is_not_the_newest_is_begun_anew() -> None:
    text = logged(EMPTY + "\n## 2026-03-03\n- Tomorrow.\n\n## 2026-03-02\n- Today.\n", TODAY, "Now.")
    assert text.startswith(EMPTY + "\n## 2026-03-02\n- Now.\n\n## 2026-03-03\n")


def test_a_message_stays_one_bullet_whatever_it_has() -> None:
    assert logged("", TODAY, "Forgot:\n## a heading\n- and a bullet") == (
        "## 2026-03-02\n- Forgot: ## a heading - and a bullet\n"
    )


def test_a_heading_in_a_code_fence_is_no_day() -> None:
    text = "# Memory Changelog\n\n```\n## 2026-03-02\n```\n"
    assert logged(text, TODAY, "Now.") == text + "\n## 2026-03-02\n- Now.\n"


def test_prose_below_the_heading_of_the_day_stays_behind_a_blank_line() -> None:
    text = EMPTY + "\n## 2026-03-02\n\nA quiet day.\n"
    assert logged(text, TODAY, "Now.") == EMPTY + "\n## 2026-03-02\n\n- Now.\n\nA quiet day.\n"
