"""How a story tells the workers of the process that there is something to do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from csbond.flows.changes import QueueDelivery, Write
from csbond.flows.index_progress import IndexProgress
from csbond.flows.measured_networks import MeasuredNetworks
from csbond.flows.memory_changes import EraseEntry, PutEntry, SetLinks
from csbond.flows.use_log import UseLog
from csbond.protocol.memory.entry import Level


@dataclass(eq=False)
class Signals:
    """One event a worker; a worker clears its event before it looks for work."""

    indexing: IndexProgress = field(default_factory=IndexProgress)
    deliveries: asyncio.Event = field(default_factory=asyncio.Event)
    hot: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by what is written into the hot tier, which has a cap."""
    uses: UseLog = field(default_factory=UseLog)

    networks: MeasuredNetworks = field(default_factory=MeasuredNetworks)
    """What was computed of links, until the writes change them."""

    def wake(self, writes: Sequence[Write]) -> None:
        """Wake the workers that the writes concern."""
        if any(_changes_network(write) for write in writes):
            self.networks.changed(erased=any(isinstance(write, EraseEntry) for write in writes))
        put = [write.entry for write in writes if isinstance(write, PutEntry)]
        if put:
            self.indexing.written(len(put))
        if any(entry.level is Level.HOT and not entry.deleted_at for entry in put):
            self.hot.set()
        if any(isinstance(write, QueueDelivery) for write in writes):
            self.deliveries.set()


def _changes_network(write: Write) -> bool:
    """Whether a write can change who is linked, who may be told of it, or what its cluster is called.

    A new memory changes nothing of it until links are set.
    """
    return isinstance(write, SetLinks | EraseEntry) or (isinstance(write, PutEntry) and write.entry.version > 1)
