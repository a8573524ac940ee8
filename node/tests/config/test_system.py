"""The names a machine draws."""

from __future__ import annotations

import string
import time
import uuid

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


def test_names_of_later_are_behind_those_of_before_and_say_what_version_they_are() -> None:
    names = []
    for _ in range(3):
        names.append(SystemIdentifiers().unique())
        began = time.time_ns()
        while time.time_ns() - began < 2_000_000:
            pass
    assert names == sorted(names)
    assert {uuid.UUID(name).version for name in names} == {7}
    assert {uuid.UUID(name).variant for name in names} == {uuid.RFC_4122}


def test_what_cannot_be_guessed_of_a_name_has_every_bit_both_ways() -> None:
    names = [uuid.UUID(SystemIdentifiers().unique()).int for _ in range(200)]
    random_bits = [*range(62), *range(64, 76)]
    assert all({name >> bit & 1 for name in names} == {0, 1} for bit in random_bits)
