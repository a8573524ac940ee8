"""What a skill is given of the thread its message belongs to."""

from __future__ import annotations

import pytest

from csbond.protocol.messages.extensions import SESSION_CONTEXT
from csbond_tests.stories import HeldLedger, answered, ask_then_echo, incoming, world_of


class ReadLedger(HeldLedger):
    """Remembers which threads were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    async def thread_messages(self, thread_id, caller_key, before_seq, limit):
        self.read.append(thread_id)
        return await super().thread_messages(thread_id, caller_key, before_seq, limit)


async def test_nothing_is_read_for_a_message_that_begins_its_thread() -> None:
    ledger = ReadLedger()
    world = world_of(ask_then_echo, ledger)
    await answered(world, incoming("one"))
    assert ledger.read == []
    assert world.skill.turns[0].window == ()


@pytest.mark.parametrize("by", ["task", "context", "thread"])
async def test_a_message_that_goes_on_is_given_what_was_said_before(by: str) -> None:
    world = world_of(ask_then_echo, ReadLedger())
    task = (await answered(world, incoming("one"))).task
    goes_on = {
        "task": {"task_id": task.id},
        "context": {"context_id": task.context_id},
        "thread": {"message_metadata": {SESSION_CONTEXT: {"thread_id": task.thread_id}}},
    }[by]
    await answered(world, incoming("two", **goes_on))
    assert [kept.message.text for kept in world.skill.turns[1].window] == ["one", "and after one?"]


async def test_a_session_named_by_its_caller_is_read_even_when_it_is_new() -> None:
    ledger = ReadLedger()
    await answered(world_of(ask_then_echo, ledger), incoming("one", context_id="mine"))
    assert ledger.read == ["mine"]
