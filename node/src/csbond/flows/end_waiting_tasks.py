"""Tasks that waited too long for their caller are ended: a question nobody answers is not kept open for ever."""

from __future__ import annotations

from csbond.flows.end_task import NodeEnding, end_task
from csbond.flows.world import World
from csbond.protocol.messages.task import TaskState

UNANSWERED = "Nobody answered in time. Send the message again, without taskId, to begin anew in the same context."
BATCH = 100
"""Tasks read at once."""

_ENDING = NodeEnding(
    state=TaskState.CANCELED,
    text=UNANSWERED,
    audit="message_cancel",
    operation="end_waiting_task",
    goal="end a task that waited too long for its caller",
    authority="limits.interrupted_ttl_s",
)


async def end_waiting_tasks(world: World) -> int:
    """Cancel every task that has waited for input or a credential longer than the limit; returns how many."""
    before = world.clock.now() - world.limits.interrupted_ttl_s * 1000
    ended = 0
    while waiting := await world.ledger.waiting_tasks(before, BATCH):
        done = sum([await end_task(world, task, _ENDING) for task in waiting])
        ended += done
        if not done:
            break
    return ended
