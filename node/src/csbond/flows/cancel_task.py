"""A caller cancels a task: the running skill is stopped, or a waiting task ended (A2A v1.0.1 §3.1.5)."""

from __future__ import annotations

from csbond.flows.changes import Change, SaveTask, Write
from csbond.flows.live_tasks import LiveTask, StopReason
from csbond.flows.notify import notifications
from csbond.flows.show_task import own_task, view_of
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.events import StatusChanged
from csbond.protocol.messages.task import TERMINAL, Task, TaskState, TaskView, move
from csbond.protocol.trust.authority import authority_of


async def cancel_task(world: World, task_id: str, caller: Caller) -> TaskView:
    """The canceled task; `task_not_found`, or `task_not_cancelable` when it has ended, by itself or by a cancel."""
    task = await own_task(world, task_id, caller)
    _check_cancelable(task)
    live = world.live.hold(task)
    live.cancels += 1
    try:
        live.stop(StopReason.CANCEL)
        await _end(world, live, task, caller)
        return await view_of(world, live.task, live, None)
    finally:
        live.cancels -= 1
        if not live.cancels and live.runner is None:
            live.stop_reason = None
        world.live.release(live)


async def _end(world: World, live: LiveTask, task: Task, caller: Caller) -> None:
    """End the task unless a turn did; what runs, or begins before the turn is ours, is stopped meanwhile."""
    async with live.turn:
        current = await own_task(world, task.id, caller)
        if current.state is TaskState.CANCELED:
            return
        _check_cancelable(current)
        now = world.clock.now()
        canceled = move(current, TaskState.CANCELED, now)
        live.whole = False
        live.earlier = await world.ledger.artifacts(task.id)
        event = StatusChanged(canceled)
        queued = await notifications(world, live, TaskView(canceled, live.earlier), event)
        writes: tuple[Write, ...] = (SaveTask(canceled), *queued)
        record = AuditDraft(
            id=dated_id("audit", now, world.identifiers.letters(8)),
            type="message_cancel",
            timestamp=now,
            operation="cancel_task",
            target=task.id,
            intent=Intent("end a waiting task", caller.key, authority_of(caller)),
        )
        await world.ledger.commit(Change(HOME_SPACE, writes, (record,)))
        live.tell(event)
        world.signals.wake(writes)


def _check_cancelable(task: Task) -> None:
    if task.state in TERMINAL:
        raise Refused("task_not_cancelable", f"the task is already {task.state.value}", field="id")
