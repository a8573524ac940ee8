"""How many tokens a file holds, and how near to its limit that is."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.budgets import budget_of, budget_state, token_count


@requirement("CUST-B3.3-01")
@pytest.mark.parametrize(
    "text, tokens",
    [
        ("", 0),
        (" \n\t", 0),
        ("word", 1),
        ("two words", 2),
        ("snake_case_9", 1),
        ("a-b", 3),
        ("don't", 3),
        ("地图", 2),
        ("用 map 打印。", 5),
        ("café", 2),
        ("🗺️", 2),
    ],
)
def test_ascii_words_and_other_visible_characters_are_counted(text: str, tokens: int) -> None:
    assert token_count(text) == tokens


@pytest.mark.parametrize(
    "file, limit",
    [
        ("brief.md", 500),
        ("decisions.md", 800),
        ("constraints.md", 400),
        ("do-not-use.md", 400),
        ("preferences.md", 300),
        ("changelog.md", 800),
        ("rules/output.md", 400),
        ("profiles/review.md", 500),
        ("areas/sync.md", 600),
        ("areas/README.md", None),
        ("inbox.md", None),
        ("manifest.md", None),
        ("archive/decisions-2026-03-02.md", None),
    ],
)
def test_a_file_has_the_limit_of_its_place(file: str, limit: int | None) -> None:
    assert budget_of(file) == limit


@pytest.mark.parametrize(
    "tokens, state",
    [(0, "OK"), (639, "OK"), (640, "NEAR LIMIT"), (800, "NEAR LIMIT"), (801, "OVER BUDGET")],
)
def test_from_four_fifths_on_a_limit_is_near(tokens: int, state: str) -> None:
    assert budget_state(tokens, 800) == state
