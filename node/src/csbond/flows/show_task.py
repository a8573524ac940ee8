"""A caller asks how a task stands."""

from __future__ import annotations

from csbond.flows.live_tasks import LiveTask
from csbond.flows.world import World
from csbond.protocol.errors import Refused
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.task import Artifact, Task, TaskView


async def show_task(world: World, task_id: str, caller: Caller, history_length: int | None = None) -> TaskView:
    """The task with its artifacts and the latest of its history; `task_not_found` for anybody else's."""
    task = await own_task(world, task_id, caller)
    return await view_of(world, task, world.live.by_id.get(task_id), history_length)


async def own_task(world: World, task_id: str, caller: Caller) -> Task:
    """The task of this caller, or `task_not_found`: that it is another's is not told (§3.3.2)."""
    task = await world.ledger.task(task_id, caller.key)
    if task is None:
        raise Refused(
            "task_not_found",
            "task not found: this caller has none of that id",
            next_step="list your tasks",
            field="id",
        )
    return task


async def view_of(world: World, task: Task, live: LiveTask | None, history_length: int | None) -> TaskView:
    """The task as it stands now: from this process where it is live, from the ledger otherwise."""
    if live and (live.runner or live.whole):
        view = live.view()
        history = await _history(world, view.task.id, live, history_length)
        return TaskView(view.task, view.artifacts, history)
    artifacts: tuple[Artifact, ...] = await world.ledger.artifacts(task.id)
    return TaskView(task, artifacts, await _history(world, task.id, None, history_length))


async def _history(world: World, task_id: str, live: LiveTask | None, length: int | None) -> tuple[Message, ...]:
    if length == 0:
        return ()
    if live and live.whole:
        return tuple(live.messages[-length:] if length else live.messages)
    return await world.ledger.history(task_id, length)
