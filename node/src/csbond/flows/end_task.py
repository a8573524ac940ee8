"""The node itself ends a task that no turn works on: with a reason, a record, and word to webhooks and followers."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.flows.changes import Change, QueueDelivery, SaveTask
from csbond.flows.live_tasks import LiveTask
from csbond.flows.notify import deliveries_of
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.identifiers import dated_id
from csbond.protocol.messages.events import StatusChanged
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.task import Task, TaskState, TaskView, move


@dataclass(frozen=True, slots=True)
class NodeEnding:
    """How the node ends a task: the state, what is said to the caller, and what its record says."""

    state: TaskState
    text: str
    audit: str
    operation: str
    goal: str
    authority: str
    """On what the right to end it rests, such as the name of a setting."""


async def end_task(world: World, task: Task, ending: NodeEnding) -> bool:
    """Whether the task was ended; one that a turn works on, or that moved on meanwhile, is left alone."""
    live = world.live.hold(task)
    try:
        if live.turn.locked():
            return False
        async with live.turn:
            current = await world.ledger.task(task.id, None) or task
            if current.version != task.version:
                return False
            await _end(world, live, current, ending)
            return True
    finally:
        world.live.release(live)


async def _end(world: World, live: LiveTask, task: Task, ending: NodeEnding) -> None:
    now = world.clock.now()
    said = Message(world.identifiers.unique(), "agent", (text_part(ending.text),), task.context_id, task.id)
    ended = move(task, ending.state, now, said)
    event = StatusChanged(ended)
    view = TaskView(ended, await world.ledger.artifacts(task.id))
    queued = [QueueDelivery(delivery) for delivery in await deliveries_of(world, view, event)]
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type=ending.audit,
        timestamp=now,
        operation=ending.operation,
        target=task.id,
        intent=Intent(ending.goal, "this node", ending.authority),
        details={"state": ended.state.value, "was": task.state.value},
    )
    live.whole = False  # who asks from now on is answered from the rows
    await world.ledger.commit(Change(HOME_SPACE, (SaveTask(ended), *queued), (record,)))
    live.tell(event)
    world.signals.wake(queued)
