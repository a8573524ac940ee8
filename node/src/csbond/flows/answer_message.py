"""The answer to a message as one reply: waited for, or shown as it stands at once (A2A v1.0.1 §3.2.2)."""

from __future__ import annotations

from csbond.flows.receive_message import Accepted, receive_message
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
        if not incoming.return_immediately:
            await accepted.live.settled()
        reply = _bare_reply(accepted)
        return reply or await view_of(world, accepted.live.task, accepted.live, incoming.history_length)
    finally:
        world.live.release(accepted.live)


def _bare_reply(accepted: Accepted) -> Message | None:
    if accepted.reply:
        return accepted.reply
    last = accepted.live.events[-1] if accepted.live.events else None
    return last.message if isinstance(last, MessageReplied) else None
