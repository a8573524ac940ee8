"""A snapshot is verified without being loaded (MEM-006 §6.3)."""

from __future__ import annotations

import asyncio
from functools import partial

from csbond.flows.make_snapshot import snapshot_limits
from csbond.flows.world import World
from csbond.protocol.memory.rights import may_distribute
from csbond.protocol.memory.snapshot import Snapshot
from csbond.protocol.memory.snapshot_check import checked_snapshot
from csbond.protocol.messages.caller import Caller


async def verify_snapshot(world: World, raw: bytes, caller: Caller, *, lenient: bool = False) -> Snapshot:
    """The snapshot in a file, when it is whole and this node can read it, for the owner; else `snapshot_refused`."""
    may_distribute(caller)
    limits, now = snapshot_limits(world), world.clock.now()
    return await asyncio.to_thread(partial(checked_snapshot, raw, limits, now, lenient=lenient))
