"""How a story tells the workers of the process that there is something to do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from csbond.flows.changes import QueueDelivery, Write
from csbond.flows.index_progress import IndexProgress
from csbond.flows.memory_changes import PutEntry


@dataclass(eq=False)
class Signals:
    """One event a worker; a worker clears its event before it looks for work."""

    indexing: IndexProgress = field(default_factory=IndexProgress)
    deliveries: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self, writes: Sequence[Write]) -> None:
        """Wake the workers that the writes concern."""
        put = sum(isinstance(write, PutEntry) for write in writes)
        if put:
            self.indexing.written(put)
        if any(isinstance(write, QueueDelivery) for write in writes):
            self.deliveries.set()
