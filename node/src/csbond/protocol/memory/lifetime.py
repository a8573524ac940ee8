"""When the time of a memory has passed, and where it goes then (MEM-005 §5.1)."""

from __future__ import annotations

from typing import Literal

from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.tier_policy import TierPolicy


def outlived(entry: MemoryEntry, now: int, policy: TierPolicy) -> bool:
    """Whether the time of a warm or cold memory has passed; never of a hot one, which sinks by idleness first."""
    end = outlived_at(entry, policy)
    return end is not None and end <= now


def outlived_at(entry: MemoryEntry, policy: TierPolicy) -> int | None:
    """When its time to live passes where it is now; None for what has none there.

    Its own runs from its timestamp, the only time an entry of elsewhere brings; that of the home for cold memories
    runs from their latest use. A home that keeps cold for ever has neither there.
    """
    cold = entry.level is Level.COLD
    if entry.level is Level.HOT or (cold and not policy.cold_evicts):
        return None
    ends = [entry.timestamp + entry.ttl] if entry.ttl > 0 else []
    if cold and policy.cold_ttl_ms > 0:
        ends.append(entry.used_at + policy.cold_ttl_ms)
    return min(ends, default=None)


def next_down(level: Level) -> Level | Literal["deleted"]:
    """Where an eviction by cap or time takes a memory: one tier down, and from cold out."""
    tiers = tuple(Level)
    return "deleted" if level is tiers[-1] else tiers[tiers.index(level) + 1]
