"""The smallest and the greatest number that a setting takes, beside its type."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the greatest number a setting takes."""

    low: float
    high: float = float("inf")
