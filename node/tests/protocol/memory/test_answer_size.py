from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.answer_size import ANSWER_BYTES, within
from csbond_tests.requirements import requirement


@requirement("MEM-003-3.1-bytes")
@pytest.mark.parametrize(
    "sizes, cap, fit",
    [
        ([], 10, 0),
        ([10], 10, 1),
        ([11], 10, 1),
        ([5, 5], 10, 2),
        ([5, 6], 10, 1),
        ([11, 1], 10, 1),
        ([4, 4, 4, 1], 10, 2),
    ],
)
def test_rows_are_told_up_to_the_cap_and_the_first_one_always(sizes, cap, fit):
    assert within(sizes, cap) == fit


@requirement("MEM-005-report-11-everything-at-once", "MEM-003-3.1-bytes")
def test_the_cap_is_below_25000_tokens_in_chinese_and_in_english():
    assert ANSWER_BYTES / 3 < 25_000


@requirement("MEM-003-3.1-bytes")
@given(st.lists(st.integers(0, 100)), st.integers(1, 300))
def test_what_fits_is_as_much_as_possible(sizes, cap):
    fit = within(iter(sizes), cap)
    assert fit <= 1 or sum(sizes[:fit]) <= cap
    assert fit == len(sizes) or sum(sizes[: fit + 1]) > cap
