"""Memories of a chosen age, tier and use, for the tests of what moves and what is forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.promotion import token
from csbond.protocol.memory.tier_policy import TierPolicy

__all__ = ["NOW", "aged", "aged_memories", "policies"]

NOW = 1_800_000_000_000


def aged(level: str = "warm", *, used: tuple[float, ...] = (), unused: float = 0.0, **changes: Any) -> MemoryEntry:
    """A memory that was used so many days before `NOW`, or without uses is unused for so many."""
    times = sorted(NOW - round(days * DAY_MS) for days in used)
    used_at = times[-1] if times else NOW - round(unused * DAY_MS)
    entry = MemoryEntry("mem_1_a", "home", "event", "x", (), used_at, "user", Level(level))
    recent = "".join(map(token, times))
    return replace(entry, **{"used_at": used_at, "recent": recent, "access_count": len(times), **changes})


policies: st.SearchStrategy[TierPolicy] = st.builds(
    TierPolicy,
    promote_uses=st.integers(1, 4),
    promote_within_ms=st.integers(1, 40),
    hot_idle_ms=st.integers(0, 40),
    warm_idle_ms=st.integers(0, 60),
    promote_score=st.sampled_from([0.5, 0.7, 0.9, 1.0]),
    formula=st.sampled_from(["recent", "literal"]),
    cold_ttl_ms=st.sampled_from([0, 0, 20]),
    cold_evicts=st.booleans(),
)


@st.composite
def aged_memories(draw: st.DrawFn) -> MemoryEntry:
    """Memories of any tier with up to six uses, the oldest 60 ms ago."""
    times = sorted(draw(st.lists(st.integers(1, 60), min_size=1, max_size=6)))
    return aged(
        draw(st.sampled_from(["hot", "warm", "cold"])),
        timestamp=draw(st.integers(0, times[0])),
        ttl=draw(st.sampled_from([0, 0, 10, 50])),
        used_at=times[-1],
        recent="".join(map(token, times)),
        access_count=draw(st.integers(len(times) - 1, 9)),
        tags=draw(st.sampled_from([(), (), ("pinned",)])),
    )
