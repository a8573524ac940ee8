"""Reads the log of a depth sounder and says how deep each day was."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from typing import NamedTuple


class Sounding(NamedTuple):
    """One line of the log."""

    when: str
    """ISO 8601, UTC."""
    metres: float


def soundings(lines: Iterable[str]) -> list[Sounding]:
    """Return what the log holds; ValueError for a line that is no sounding."""
    return [Sounding(when, float(metres)) for when, metres in csv.reader(lines)]


def deepest(found: Iterable[Sounding]) -> dict[str, float]:
    """Return the greatest depth of each day that has soundings; days without any are not made up."""
    days: dict[str, float] = {}
    for sounding in found:
        day = sounding.when[:10]
        days[day] = max(sounding.metres, days.get(day, sounding.metres))
    return days


def report(days: dict[str, float]) -> list[str]:
    """Return one line a day, in metres with one decimal."""
    return [f"{day}  {metres:.1f} m" for day, metres in sorted(days.items())]


if __name__ == "__main__":
    print("\n".join(report(deepest(soundings(sys.stdin)))))
