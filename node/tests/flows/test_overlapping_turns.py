"""The next message to a task may be taken before the answer to the one before it is read from the task."""

from __future__ import annotations

import asyncio

import pytest

from csbond.flows.changes import Change
from csbond.flows.ports import Committed
from csbond.protocol.messages.task import TaskState
from csbond.testing import InMemoryLedger
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, incoming, said_in, told, world_of


class SlowLedger(InMemoryLedger):
    """A ledger that lets others go first, a number of times, before each write and each read of a task."""

    def __init__(self, writing: int, reading: int) -> None:
        super().__init__()
        self._writing, self._reading = writing, reading

    async def commit(self, change: Change) -> Committed:
        await others(self._writing)
        return await super().commit(change)

    async def history(self, task_id, limit):
        await others(self._reading)
        return await super().history(task_id, limit)

    async def task(self, task_id, caller_key):
        await others(self._reading)
        return await super().task(task_id, caller_key)


async def others(turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)


@requirement("NODE-007", "FAULT-16")
@pytest.mark.parametrize("apart", range(12), ids=lambda apart: f"{apart} steps apart")
@pytest.mark.parametrize("reading", range(2))
@pytest.mark.parametrize("writing", range(3))
@pytest.mark.parametrize("asks_for", [None, 0, 2])
async def test_each_of_many_messages_to_one_task_is_answered_by_its_own_turn(
    writing: int, reading: int, apart: int, asks_for: int | None
) -> None:
    world = world_of(ask_then_echo, SlowLedger(writing, reading))
    task = (await answered(world, incoming("zero"))).task
    texts = ["one", "two", "three", "four", "five"]
    answers = []
    for text in texts:
        answers.append(asyncio.create_task(answered(world, incoming(text, task_id=task.id, history_length=asks_for))))
        await others(apart)
    said = ["zero", "and after zero?"]
    told_so_far = ["zero"]
    for text, view in zip(texts, await asyncio.gather(*answers), strict=True):
        said += [text, f"and after {text}?"]
        told_so_far.append(text)
        assert view.task.state is TaskState.INPUT_REQUIRED
        assert view.task.status_message.text == f"and after {text}?"
        assert told(view).split("|") == told_so_far
        assert said_in(view) == (said if asks_for is None else said[-asks_for:] if asks_for else [])
    assert not world.live.by_id
