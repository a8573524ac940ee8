"""What the ledger answers about all memories at once: how they are linked, and how many there are of what."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from csbond.protocol.memory.network import Edge, Linked, Node
from csbond.protocol.memory.stats import MemoryStats, Upkeep
from csbond.protocol.memory.visibility import Audience


class NetworkLedger(Protocol):
    """Links between living memories, and numbers. What an audience may not be told is in none of them."""

    async def all_edges(self, space: str, audience: Audience, nodes: int, links: int) -> Linked:
        """The most linked memories, so many at most, and so many of the strongest links between them."""
        ...

    async def network_edges(
        self, space: str, ids: Collection[str], audience: Audience, limit: int, *, within: bool = False
    ) -> tuple[Edge, ...]:
        """The strongest links of which an end is one of the ids, or both are `within` them."""
        ...

    async def network_nodes(self, space: str, ids: Collection[str], audience: Audience) -> dict[str, Node]:
        """Those of the ids whose memories live and may be told, without what is computed of them."""
        ...

    async def memory_stats(self, space: str, audience: Audience, since_day: int) -> MemoryStats:
        """The living memories in numbers, and how many were kept on each day from one on."""
        ...

    async def upkeep(self, space: str, since_day: int, pinned_tags: Collection[str]) -> Upkeep:
        """What the owner alone is told: how full the tiers are, what was removed from a day on, what waits."""
        ...
