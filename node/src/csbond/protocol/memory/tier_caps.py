"""How many memories a tier holds, and which of them go when there are more (MEM-001 §1.1, MEM-005 §5.1)."""

from __future__ import annotations

from collections.abc import Iterable

from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.tier_policy import TierPolicy


def stays(entry: MemoryEntry, policy: TierPolicy) -> bool:
    """Whether a pinned tag keeps the memory in its tier, whatever its uses and the caps."""
    return not policy.pinned_tags.isdisjoint(entry.tags)


def eviction_order(entries: Iterable[MemoryEntry]) -> tuple[MemoryEntry, ...]:
    """The least recently used first; of those used at one time, the one with the smaller id."""
    return tuple(sorted(entries, key=lambda entry: (entry.used_at, entry.id)))


def over_cap(
    members: Iterable[MemoryEntry], candidates: Iterable[MemoryEntry], cap: int, policy: TierPolicy
) -> tuple[tuple[MemoryEntry, ...], tuple[MemoryEntry, ...]]:
    """Which members of a tier go, and which candidates come in: both in the order of eviction.

    Pinned members stay and take their places of the cap. The rest of it is for the latest used of all others, members
    and candidates as one: so what goes is older than all that stay, and does not come back at the next look.
    """
    inside = {entry.id: entry for entry in members}
    asking = {entry.id: entry for entry in candidates if entry.id not in inside and not stays(entry, policy)}
    loose = [entry for entry in inside.values() if not stays(entry, policy)]
    free = max(0, cap - (len(inside) - len(loose)))
    ordered = eviction_order((*loose, *asking.values()))
    kept = {entry.id for entry in ordered[max(0, len(ordered) - free) :]}
    evicted = tuple(entry for entry in ordered if entry.id in inside and entry.id not in kept)
    return evicted, tuple(entry for entry in ordered if entry.id in asking and entry.id in kept)
