"""When to try again: doubling waits with a longest one (A2A-015)."""

from __future__ import annotations


def next_try_at(now: int, attempts: int, first_s: float, longest_s: float) -> int:
    """The time (ms) of the next try after this many failed ones."""
    doublings = min(attempts - 1, 60)  # beyond any wait that is wanted, and still a number
    wait_s = min(longest_s, first_s * 2.0**doublings)
    return now + round(wait_s * 1000)
