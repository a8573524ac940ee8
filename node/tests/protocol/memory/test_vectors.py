from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.memory.vectors import BYTES_PER_NUMBER, cosine, pack, unpack

NUMBERS = st.lists(st.floats(width=32, allow_nan=False), max_size=50)


def test_a_vector_is_stored_as_32_bit_floats_little_endian():
    assert pack([1.0, -2.0]) == bytes.fromhex("0000803f000000c0")


@settings(deadline=None)
@given(NUMBERS)
def test_what_was_packed_is_what_comes_back(numbers):
    vector = pack(numbers)
    assert len(vector) == BYTES_PER_NUMBER * len(numbers)
    assert unpack(vector) == tuple(numbers)


def test_half_a_number_is_refused():
    with pytest.raises(ValueError, match="multiple"):
        unpack(b"\0\0\0\0\0")


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ([1, 0], [5, 0], 1.0),
        ([1, 0], [0, 3], 0.0),
        ([1, 1], [-2, -2], -1.0),
        ([3, 4], [4, 3], 0.96),
        ([0, 0], [1, 2], 0),
    ],
)
def test_the_cosine_says_how_alike_two_vectors_point(one, other, expected):
    assert cosine(pack(one), pack(other)) == pytest.approx(expected)


def test_vectors_of_two_sizes_have_no_cosine():
    with pytest.raises(ValueError, match="zip"):
        cosine(pack([1.0]), pack([1.0, 2.0]))
