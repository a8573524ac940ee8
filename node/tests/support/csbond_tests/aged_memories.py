"""Memories of a chosen age, tier and use, for the tests of what moves and what is forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.promotion import token

__all__ = ["NOW", "aged"]

NOW = 1_800_000_000_000


def aged(level: str = "warm", *, used: tuple[float, ...] = (), unused: float = 0.0, **changes: Any) -> MemoryEntry:
    """A memory that was used so many days before `NOW`, or without uses is unused for so many."""
    times = sorted(NOW - round(days * DAY_MS) for days in used)
    used_at = times[-1] if times else NOW - round(unused * DAY_MS)
    entry = MemoryEntry("mem_1_a", "home", "event", "x", (), used_at, "user", Level(level))
    recent = "".join(map(token, times))
    return replace(entry, **{"used_at": used_at, "recent": recent, "access_count": len(times), **changes})
