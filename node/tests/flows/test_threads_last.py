"""A thread outlives tasks and sessions, and its messages know what they answer (A2A-004 §4.1–4.3)."""

from __future__ import annotations

from typing import Any

from csbond.flows.answer_message import answer_message
from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.extensions import SESSION_CONTEXT
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.testing.nodes import InProcessNode, two_nodes
from csbond_tests.requirements import requirement


async def say(node: InProcessNode, text: str, thread_id: str, **metadata: Any) -> str:
    """Say something in a session of its own; the id of the message."""
    stated = {SESSION_CONTEXT: {"thread_id": thread_id}, **metadata}
    message = Message(node.world.identifiers.unique(), "user", (text_part(text),), metadata=stated)
    await answer_message(node.world, IncomingMessage(message), OWNER)
    return message.id


async def kept(node: InProcessNode, thread_id: str) -> tuple[ThreadMessage, ...]:
    return await node.world.ledger.thread_messages(thread_id, "owner", None, 100)


@requirement("A2A-004-4.1-thread")
async def test_a_thread_goes_on_while_tasks_begin_and_end_in_it() -> None:
    mira, _ = two_nodes()
    await say(mira, "The lamp is green.", "th-1")
    await say(mira, "The door is blue.", "th-1")
    messages = await kept(mira, "th-1")
    assert [one.message.text for one in messages if one.message.role == "user"] == [
        "The lamp is green.",
        "The door is blue.",
    ]
    assert len({one.task_id for one in messages}) == 2


@requirement("A2A-004-4.3-shared")
async def test_messages_of_every_session_of_a_thread_carry_its_id() -> None:
    mira, _ = two_nodes()
    await say(mira, "The lamp is green.", "th-1")
    await say(mira, "The door is blue.", "th-1")
    messages = await kept(mira, "th-1")
    assert len({one.session_id for one in messages}) == 2
    assert {one.thread_id for one in messages} == {"th-1"}


@requirement("A2A-004-4.2-parent")
async def test_a_message_keeps_what_it_answers_and_so_does_the_answer() -> None:
    mira, _ = two_nodes()
    first = await say(mira, "The lamp is green.", "th-1")
    second = await say(mira, "No, the lamp is red.", "th-1", parent_id=first)
    by_id = {one.message.id: one.parent_id for one in await kept(mira, "th-1")}
    assert by_id[second] == first
    assert sorted(parent for parent in by_id.values() if parent) == sorted([first, first, second])
