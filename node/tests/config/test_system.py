"""The names a machine draws."""

from __future__ import annotations

import string

import pytest

from csbond.config.system import SystemIdentifiers


@pytest.mark.parametrize("count", [0, 1, 8, 40])
def test_letters_are_as_many_as_asked_for(count: int) -> None:
    letters = SystemIdentifiers().letters(count)
    assert len(letters) == count
    assert set(letters) <= set(string.ascii_lowercase + string.digits)


def test_every_letter_is_drawn_in_every_place_and_none_much_more_often() -> None:
    drawn = [SystemIdentifiers().letters(4) for _ in range(7200)]
    for place in range(4):
        counts = [[name[place] for name in drawn].count(letter) for letter in string.ascii_lowercase + string.digits]
        assert min(counts) > 120
        assert max(counts) < 290


def test_no_two_names_are_alike() -> None:
    assert len({SystemIdentifiers().unique() for _ in range(1000)}) == 1000
