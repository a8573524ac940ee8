"""After a start: tasks that no process works on any more are ended, so that nobody waits for them for ever."""

from __future__ import annotations

from csbond.flows.changes import Change, QueueDelivery, SaveTask, Write
from csbond.flows.notify import deliveries_of
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.identifiers import dated_id
from csbond.protocol.messages.events import StatusChanged
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.task import Task, TaskState, TaskView, move

INTERRUPTED = "The node stopped before the task was done. Send the message again."


async def reconcile_tasks(world: World) -> int:
    """End every unfinished task that is not live here as failed; returns how many there were."""
    orphans = [task for task in await world.ledger.unfinished_tasks() if task.id not in world.live.by_id]
    for task in orphans:
        await _end(world, task)
    return len(orphans)


async def _end(world: World, task: Task) -> None:
    now = world.clock.now()
    said = Message(world.identifiers.unique(), "agent", (text_part(INTERRUPTED),), task.context_id, task.id)
    ended = move(task, TaskState.FAILED, now, said)
    view = TaskView(ended, await world.ledger.artifacts(task.id))
    writes: list[Write] = [SaveTask(ended)]
    queued = [QueueDelivery(delivery) for delivery in await deliveries_of(world, view, StatusChanged(ended))]
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="message_failed",
        timestamp=now,
        operation="reconcile_task",
        target=task.id,
        intent=Intent("end a task that lost its process", "this node", "restart"),
        details={"state": ended.state.value, "was": task.state.value},
    )
    await world.ledger.commit(Change(HOME_SPACE, (*writes, *queued), (record,)))
    world.signals.wake(queued)
