"""A caller lists its tasks, newest status first, page by page (A2A v1.0.1 §3.1.4)."""

from __future__ import annotations

from csbond.flows.show_task import view_of
from csbond.flows.world import World
from csbond.protocol.messages.listing import Page, TaskQuery
from csbond.protocol.messages.task import Task, TaskView


async def list_tasks(world: World, query: TaskQuery) -> Page[TaskView]:
    """A page of the caller's tasks, with artifacts and history as far as asked for."""
    page = await world.ledger.tasks(query)
    return Page(tuple([await _shown(world, query, task) for task in page.rows]), page.next_cursor, page.total)


async def _shown(world: World, query: TaskQuery, task: Task) -> TaskView:
    history_length = query.history_length
    if not query.with_artifacts and history_length == 0:
        return TaskView(task, None)
    view = await view_of(world, task, world.live.by_id.get(task.id), history_length)
    return view if query.with_artifacts else TaskView(view.task, None, view.history)
