"""What was computed of the network of links, for each audience that asked, until something of it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from csbond.flows.network_ledger import NetworkLedger
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import HOME_SPACE
from csbond.protocol.memory.network import EDGES_MAX, NODES_MAX, Linked, Place, measured
from csbond.protocol.memory.visibility import Audience

AUDIENCES_KEPT = 8
"""Each holds 20 MB at most: the owner, and a few principals at a time."""
EVERYTHING = Audience(everything=True)
EDGES_INLINE = 500
"""Links that are computed on the event loop: some 10 ms."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A network, and the place of each memory in it."""

    linked: Linked
    places: Mapping[str, Place]

    @property
    def is_small(self) -> bool:
        """Whether it is computed at once."""
        return len(self.linked.edges) <= EDGES_INLINE


@dataclass(eq=False)
class MeasuredNetworks:
    """Belongs to one process; whoever lets others write to the same ledger says `changed` for them too."""

    _kept: dict[Audience, Measured] = field(default_factory=dict)
    _before: Measured | None = None
    """What the owner was told before the latest changes."""
    _changes: int = 0
    _erasures: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _again: asyncio.Task[None] | None = None

    def changed(self, *, erased: bool = False) -> None:
        """Say that links, or memories at their ends, are not as they were; of what is erased nothing is kept."""
        self._changes += 1
        self._erasures += erased
        self._before = None if erased else self._kept.get(EVERYTHING, self._before)
        self._kept.clear()

    async def measured(self, ledger: NetworkLedger, audience: Audience) -> Measured:
        """The network of all that an audience may be told."""
        async with self._turn:
            found = self._kept.pop(audience, None)
            changes, erasures = self._changes, self._erasures
            if found is None:
                linked = await ledger.all_edges(HOME_SPACE, audience, NODES_MAX, EDGES_MAX)
                found = Measured(linked, await _places(linked))
            if changes == self._changes:
                self._kept[audience] = found  # at the end: the audience that asked longest ago goes first
                for oldest in list(self._kept)[:-AUDIENCES_KEPT]:
                    del self._kept[oldest]
            elif audience == EVERYTHING and erasures == self._erasures:
                self._before = found
            return found

    async def lately(self, ledger: NetworkLedger, audience: Audience) -> Measured:
        """The same, but of a large network the owner gets what it was before the latest changes until it is computed.

        So that whoever reads a memory does not wait for all others.
        """
        before = self._before
        if audience != EVERYTHING or audience in self._kept or before is None or before.is_small:
            return await self.measured(ledger, audience)
        if self._again is None or self._again.done():
            self._again = asyncio.create_task(self._follow(ledger))
        return before

    async def _follow(self, ledger: NetworkLedger) -> None:
        with suppress(CsbError):  # whoever asks next learns it
            await self.measured(ledger, EVERYTHING)


async def _places(linked: Linked) -> Mapping[str, Place]:
    if len(linked.edges) <= EDGES_INLINE:
        return measured(linked)
    return await asyncio.to_thread(measured, linked)
