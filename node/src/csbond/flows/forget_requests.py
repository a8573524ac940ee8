"""Message ids are forgotten when no repeat of them is answered by its task any more."""

from __future__ import annotations

from csbond.flows.changes import Change, ForgetRequests
from csbond.flows.world import NODE_SPACE, World

BATCH = 500
"""Message ids forgotten in one transaction: a few milliseconds, so that nobody waits for it."""


async def forget_requests(world: World) -> None:
    """Forget every message id that was seen longer ago than repeats are recognised."""
    before = world.clock.now() - world.limits.repeat_window_s * 1000
    while await world.ledger.requests_before(before):
        await world.ledger.commit(Change(NODE_SPACE, (ForgetRequests(before, BATCH),)))
