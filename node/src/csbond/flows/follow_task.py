"""A caller follows a task: from its own message on, or from where it stands now (A2A v1.0.1 §3.1.2, §3.1.6)."""

from __future__ import annotations

from collections.abc import AsyncIterator

from csbond.flows.receive_message import receive_message
from csbond.flows.seen_through import seen_through
from csbond.flows.show_task import own_task, view_of
from csbond.flows.world import World
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.continuing import check_open
from csbond.protocol.messages.events import MessageReplied, TaskEvent, TaskShown
from csbond.protocol.messages.incoming import IncomingMessage


async def stream_message(world: World, incoming: IncomingMessage, caller: Caller) -> AsyncIterator[TaskEvent]:
    """Every event of the turn a message starts; leaving early does not stop the task.

    A repeat is answered with the events of its own turn; when they are gone, with the task as it stands.
    """
    accepting = receive_message(world, incoming, caller)
    accepted = await seen_through(world, accepting, lambda accepted: world.live.release(accepted.live))
    try:
        if accepted.reply:
            yield MessageReplied(accepted.reply)
            return
        if accepted.turn is None:
            yield TaskShown(await view_of(world, accepted.live.task, accepted.live, incoming.history_length))
            return
        async for event in accepted.live.follow_turn(accepted.turn):
            yield _shortened(event, incoming.history_length)
    finally:
        world.live.release(accepted.live)


def _shortened(event: TaskEvent, length: int | None) -> TaskEvent:
    """The event with as much of the task's history as was asked for."""
    return TaskShown(event.view.with_latest(length)) if isinstance(event, TaskShown) else event


async def follow_task(world: World, task_id: str, caller: Caller) -> AsyncIterator[TaskEvent]:
    """The task as it stands, then every event until it ends; nothing is lost or doubled in between.

    `task_not_found`, or `unsupported_operation` for a task that has ended.
    """
    task = await own_task(world, task_id, caller)
    check_open(task)
    live = world.live.hold(task)
    try:
        live.whole = live.whole and live.runner is not None
        position = len(live.events)
        shown = await view_of(world, task, live, None)
        check_open(shown.task)
        yield TaskShown(shown)
        async for event in live.follow(position):
            yield event
    finally:
        world.live.release(live)
