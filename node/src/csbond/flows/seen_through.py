"""Work that goes on when whoever asked for it leaves: half of a write told to nobody is worse than a whole one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from csbond.flows.world import World
from csbond.protocol.errors import Refused, RemoteProtocolError

Result = TypeVar("Result")

_going_on: set[asyncio.Task[Any]] = set()
"""The event loop itself refers to its tasks weakly."""


def _nothing(_result: Any) -> None:
    return None


async def seen_through(
    world: World, work: Coroutine[Any, Any, Result], let_go: Callable[[Result], None] = _nothing
) -> Result:
    """The result of the work; who is canceled meanwhile leaves it to itself.

    `let_go` gets the result that nobody waits for any more; a fault of this node that nobody hears of is logged.
    """
    task = asyncio.create_task(work)
    _going_on.add(task)
    task.add_done_callback(_going_on.discard)

    def abandoned(done: asyncio.Task[Result]) -> None:
        fault = None if done.cancelled() else done.exception()
        if not done.cancelled() and fault is None:
            let_go(done.result())
        elif isinstance(fault, Exception) and not isinstance(fault, Refused | RemoteProtocolError):
            world.journal.failed("abandoned", fault)

    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(abandoned)
        raise
