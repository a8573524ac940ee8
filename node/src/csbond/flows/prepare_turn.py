"""What a skill is given: the message, the window of the thread, a summary of what lies beyond, and recall."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from csbond.flows.search_memory import recall_for
from csbond.flows.summarise_thread import summarise_thread
from csbond.flows.turn import Turn
from csbond.flows.world import World
from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.continuity.window import Window, window_of, window_size
from csbond.protocol.continuity.wishes import stated_history_length, wished_summary
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.extensions import CONTEXT_SUMMARY
from csbond.protocol.messages.task import Task

SUMMARY_REACH = 500
"""Messages before the window that a summary looks at: days of talk, read in milliseconds."""


async def prepare_turn(world: World, task: Task, caller: Caller, asked: ThreadMessage, *, begins: bool) -> Turn:
    """The turn for one accepted message; `history_length` in its metadata narrows the window (A2A-004 §4.2).

    Of a window of nothing a summary still tells: all of the thread lies beyond it.
    Before a message that begins its thread nothing was said, and nothing is read.
    """
    card = world.skill.card
    size = window_size(card.window, stated_history_length(asked.message))
    reach = SUMMARY_REACH if card.summarises else 0
    said = () if begins else await _said_before(world, asked, size + reach)
    window = window_of(said, size)
    summary = await _summary(world, asked, window) if card.summarises else None
    metadata = asked.message.metadata
    return Turn(
        message=asked.message,
        caller=caller,
        task=task,
        window=window.inside,
        summary=summary,
        recall=recall_for(world, caller, asked.thread_id),
        agent_name=world.agent.name,
        metadata={**metadata, CONTEXT_SUMMARY: summary} if summary else metadata,
    )


async def _said_before(world: World, asked: ThreadMessage, wanted: int) -> tuple[ThreadMessage, ...]:
    """The latest messages whose place is before that of the one asked; its id tells nothing, callers repeat theirs.

    A message without a place yet began its task: what was said before it ends where that task begins.
    """
    if wanted == 0:
        return ()
    if asked.seq:
        return await world.ledger.thread_messages(asked.thread_id, asked.caller_key, asked.seq, wanted)
    said = await world.ledger.thread_messages(asked.thread_id, asked.caller_key, None, wanted + 1)
    return tuple(takewhile(lambda message: message.task_id != asked.task_id, said))


async def _summary(world: World, asked: ThreadMessage, window: Window) -> Mapping[str, Any] | None:
    if not window.beyond:
        return None
    return await summarise_thread(world, window, "receiver", wished_summary(asked.message))
