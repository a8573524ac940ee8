"""The answer to a message as one reply: waited for, or shown as it stands at once (A2A v1.0.1 §3.2.2)."""

from __future__ import annotations

from dataclasses import replace

from csbond.flows.live_tasks import LiveTask, TurnLog
from csbond.flows.receive_message import receive_message
from csbond.flows.show_task import view_of
from csbond.flows.world import World
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.events import MessageReplied
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.task import TaskView


async def answer_message(world: World, incoming: IncomingMessage, caller: Caller) -> TaskView | Message:
    """The task when its turn has ended (at once for `return_immediately`), or the bare message of the skill."""
    accepted = await receive_message(world, incoming, caller)
    try:
        if accepted.reply:
            return accepted.reply
        if accepted.turn and not incoming.return_immediately:
            return await _ended(world, accepted.live, accepted.turn, incoming.history_length)
        if not incoming.return_immediately:
            await accepted.live.settled()
        return await view_of(world, accepted.live.task, accepted.live, incoming.history_length)
    finally:
        world.live.release(accepted.live)


async def _ended(world: World, live: LiveTask, turn: TurnLog, history_length: int | None) -> TaskView | Message:
    """What the turn came to, whatever is said to the task after it."""
    view = await live.ended(turn)
    last = live.events[turn.ends - 1] if turn.ends else None
    if isinstance(last, MessageReplied):
        return last.message
    if not live.whole and history_length != 0:
        view = replace(view, history=await _history_until(world, view))
    return view.with_latest(history_length)


async def _history_until(world: World, view: TaskView) -> tuple[Message, ...]:
    """The history on disk as far as the latest message of the view."""
    history = await world.ledger.history(view.task.id, None)
    ids = [message.id for message in history]
    return history[: ids.index(view.history[-1].id) + 1]
