"""Tasks that no process works on any more are ended, so that nobody waits for them for ever."""

from __future__ import annotations

from csbond.flows.end_task import NodeEnding, end_task
from csbond.flows.world import World
from csbond.protocol.messages.task import UNFINISHED, TaskState

INTERRUPTED = "The node stopped before the task was done. Send the message again, under a new messageId."

_ENDING = NodeEnding(
    state=TaskState.FAILED,
    text=INTERRUPTED,
    audit="message_failed",
    operation="reconcile_task",
    goal="end a task that lost its process",
    authority="restart",
)


async def reconcile_tasks(world: World) -> int:
    """After a start: end as failed every unfinished task that no turn works on here; returns how many there were."""
    return sum([await end_task(world, task, _ENDING) for task in await world.ledger.unfinished_tasks()])


async def end_lost_tasks(world: World) -> int:
    """Later: end as failed the tasks whose end could not be kept; returns how many there were."""
    ended = 0
    for task_id in sorted(world.live.lost):
        task = await world.ledger.task(task_id, None)
        if task is not None and task.state in UNFINISHED:
            ended += await end_task(world, task, _ENDING)
        world.live.lost.discard(task_id)
    return ended
