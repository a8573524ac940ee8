"""When two bullets are the same."""

from __future__ import annotations

import pytest

from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.unit_key import duplicates, unit_key


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("- Draw rivers\n", "* draw RIVERS  \n\n", True),
        ("- a\n  - b\n", "- a\n  - b   \n", True),
        ("- a\n  - b\n", "- a\n    - b\n", False),
        ("- a  b\n", "- a b\n", False),
        ("- a.\n", "- a\n", False),
        ("- a\n", " *\ta\n", True),
        ("- -a\n", "- a\n", False),
    ],
)
def test_bullets_are_the_same_but_for_case_marker_and_space_at_line_ends(one: str, other: str, same: bool) -> None:
    assert (unit_key(one) == unit_key(other)) is same


def test_the_first_of_equal_bullets_is_kept() -> None:
    blocks = parse("# Constraints\n\n- a\n- b\n- A\n\n- a\n")
    assert [blocks[place].line for place in duplicates(blocks)] == [5, 7]
