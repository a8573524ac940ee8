# ruff: noqa: S101
import unittest

from lanternfish import deepest, report, soundings

LOG = ["2026-03-01T06:00:00Z,12.04", "2026-03-01T18:00:00Z,13.96", "2026-03-03T06:00:00Z,8"]


class Days(unittest.TestCase):
    def test_each_day_with_soundings_has_its_greatest_depth(self) -> None:
        assert report(deepest(soundings(LOG))) == ["2026-03-01  14.0 m", "2026-03-03  8.0 m"]

    def test_a_day_without_soundings_is_not_made_up(self) -> None:
        assert "2026-03-02" not in deepest(soundings(LOG))
