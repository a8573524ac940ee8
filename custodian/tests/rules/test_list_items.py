"""What belongs to a bullet."""

from __future__ import annotations

import pytest

from memory_custodian.rules.list_items import content_column, continues, indent_of, is_bullet_item, is_rule


@pytest.mark.parametrize(
    "line, column",
    [
        ("- a\n", 2),
        (" -  a\n", 4),
        ("-    a\n", 5),
        ("-     code\n", 2),
        ("-\ta\n", 4),
        ("-\n", 2),
        ("-   \r\n", 2),
        ("10. a\n", 4),
        ("   1) a\n", 6),
        ("    - a\n", 0),
        ("-a\n", 0),
        ("1.5 a\n", 0),
        ("1234567890. a\n", 0),
        ("- - -\n", 0),
        ("a\n", 0),
        ("", 0),
    ],
)
def test_the_text_of_an_item_begins_behind_its_marker(line: str, column: int) -> None:
    assert content_column(line) == column
    assert is_bullet_item(line) is (column > 0 and line.strip()[0] == "-")


@pytest.mark.parametrize("line", ["---\n", "***", " _ _ _ \r\n", "- - -\n", "   * * * *\n"])
def test_a_thematic_break_is_three_of_one_mark(line: str) -> None:
    assert is_rule(line)


@pytest.mark.parametrize("line", ["--\n", "- -\n", "--- a\n", "-*-\n", "    ---\n", "===\n", ""])
def test_anything_else_is_no_thematic_break(line: str) -> None:
    assert not is_rule(line)


def test_indentation_counts_columns() -> None:
    assert [indent_of(line) for line in ("a", " a\n", "\ta", "  \ta", "")] == [0, 1, 4, 4, 0]


@pytest.mark.parametrize(
    "line, above, belongs",
    [
        ("  more\n", "- a\n", True),
        ("lazy\n", "- a\n", True),
        ("lazy\n", "  - > b\n", True),
        (" - b\n", "- a\n", False),
        ("7. b\n", "- a\n", False),
        ("### b\n", "- a\n", False),
        ("#b\n", "- a\n", True),
        ("lazy\n", "\n", False),
        ("lazy\n", "-\n", False),
        ("lazy\n", "  ### b\n", False),
        ("lazy\n", "- - -\n", False),
    ],
)
def test_a_line_goes_on_with_an_item_where_it_is_indented_or_lazy(line: str, above: str, belongs: bool) -> None:
    assert continues(line, above, 2) is belongs
