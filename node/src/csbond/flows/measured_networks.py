"""What was computed of the network of links, for each audience that asked, until something of it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from csbond.flows.network_ledger import NetworkLedger
from csbond.protocol.memory.entry import HOME_SPACE
from csbond.protocol.memory.network import EDGES_MAX, NODES_MAX, Linked, Place, measured
from csbond.protocol.memory.visibility import Audience

AUDIENCES_KEPT = 4
"""Each holds up to some 20 MB: the owner, and a few principals at a time."""
EDGES_INLINE = 500
"""Links that are computed on the event loop: some 10 ms."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A network, and the place of each memory in it."""

    linked: Linked
    places: Mapping[str, Place]


@dataclass(eq=False)
class MeasuredNetworks:
    """Belongs to one process; whoever lets others write to the same ledger says `changed` for them too."""

    _kept: dict[Audience, Measured] = field(default_factory=dict)
    _changes: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def changed(self) -> None:
        """Say that links, or memories at their ends, are not as they were."""
        self._changes += 1
        self._kept.clear()

    async def measured(self, ledger: NetworkLedger, audience: Audience) -> Measured:
        """The network of all that an audience may be told."""
        async with self._turn:
            found = self._kept.pop(audience, None)
            changes = self._changes
            if found is None:
                linked = await ledger.all_edges(HOME_SPACE, audience, NODES_MAX, EDGES_MAX)
                found = Measured(linked, await _places(linked))
            if changes == self._changes:
                self._kept[audience] = found  # at the end: the audience that asked longest ago goes first
                for oldest in list(self._kept)[:-AUDIENCES_KEPT]:
                    del self._kept[oldest]
            return found


async def _places(linked: Linked) -> Mapping[str, Place]:
    if len(linked.edges) <= EDGES_INLINE:
        return measured(linked)
    return await asyncio.to_thread(measured, linked)
