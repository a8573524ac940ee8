"""How the running turns of a process end when it is told to stop."""

from __future__ import annotations

import asyncio

import pytest

from csbond.flows.follow_task import follow_task, stream_message
from csbond.flows.reconcile_tasks import INTERRUPTED
from csbond.flows.turn import Ask, Say
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.task import TaskState
from csbond_tests.requirements import requirement
from csbond_tests.stories import HeldLedger, answered, ask_then_echo, following, incoming, shown, told, until, world_of


@requirement("NODE-003")
async def test_running_work_ends_and_new_work_is_refused() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        await go.wait()
        yield Say(turn.message.parts)

    world = world_of(slowly)
    pending = asyncio.create_task(answered(world, incoming("hello")))
    await until(lambda: len(world.skill.turns) == 1)
    drain = asyncio.create_task(world.live.drain(5))
    await until(lambda: world.live.draining)
    with pytest.raises(CsbError) as refused:
        await answered(world, incoming("late"))
    assert refused.value.code.name == "draining"
    go.set()
    await drain
    view = await pending
    assert (view.task.state, told(view)) == (TaskState.COMPLETED, "hello")


@requirement("NODE-003", "FAULT-18")
async def test_work_that_does_not_end_in_time_is_interrupted_and_says_so() -> None:
    async def for_ever(turn):
        yield Say((text_part("so far"),))
        await asyncio.Event().wait()

    world = world_of(for_ever)
    stream = following(stream_message(world, incoming(), OWNER))
    await until(lambda: len(stream.events) == 2)
    (task_id,) = world.live.by_id
    await world.live.drain(0.01)
    assert await stream.end() == ["task submitted", "=so far", "failed"]
    view = await shown(world, task_id)
    assert view.task.status_message.text == INTERRUPTED
    assert await world.ledger.unfinished_tasks() == ()
    assert world.skill.ended == 1


@requirement("NODE-003")
async def test_a_subscription_to_a_waiting_task_ends_with_an_error() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    events = following(follow_task(world, task.id, OWNER))
    await until(lambda: len(events.events) == 1)
    await world.live.drain(0.01)
    with pytest.raises(CsbError) as refused:
        await events.end()
    assert refused.value.code.name == "draining"
    assert not world.live.by_id


@requirement("NODE-003", "NODE-007")
async def test_a_message_that_waits_for_its_turn_is_refused_when_the_node_drains() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        if turn.message.text != "one":
            await go.wait()
        yield Ask((text_part("more?"),))

    world = world_of(slowly)
    task = (await answered(world, incoming("one"))).task
    two = asyncio.create_task(answered(world, incoming("two", task_id=task.id)))
    await until(lambda: len(world.skill.turns) == 2)
    three = asyncio.create_task(answered(world, incoming("three", task_id=task.id)))
    await until(lambda: world.live.by_id[task.id].holders >= 3)
    drain = asyncio.create_task(world.live.drain(5))
    await until(lambda: world.live.draining)
    go.set()
    await drain
    assert (await two).task.state is TaskState.INPUT_REQUIRED
    with pytest.raises(CsbError) as refused:
        await three
    assert refused.value.code.name == "draining"
    assert [turn.message.text for turn in world.skill.turns] == ["one", "two"]
    assert [message.text for message in await world.ledger.history(task.id, 9) if message.role == "user"] == [
        "one",
        "two",
    ]
    assert not world.live.by_id


@requirement("NODE-003")
async def test_a_message_that_is_just_being_kept_when_the_node_drains_is_not_lost() -> None:
    ledger = HeldLedger()
    world = world_of(ledger=ledger)
    ledger.hold()
    pending = asyncio.create_task(answered(world, incoming("hello")))
    await until(lambda: ledger.waiting == 1)
    drain = asyncio.create_task(world.live.drain(5))
    for _ in range(20):
        await asyncio.sleep(0)
    ledger.let_go()
    assert told(await pending) == "hello"
    await drain
    assert await world.ledger.unfinished_tasks() == ()


async def test_draining_twice_is_draining_once() -> None:
    world = world_of()
    await answered(world, incoming())
    await world.live.drain(0.01)
    await world.live.drain(0.01)


async def test_a_second_word_to_end_interrupts_what_runs_at_once() -> None:
    async def slowly(turn):
        await asyncio.Event().wait()
        yield Say(turn.message.parts)

    world = world_of(slowly)
    pending = asyncio.create_task(answered(world, incoming("hello")))
    await until(lambda: len(world.skill.turns) == 1)
    drain = asyncio.create_task(world.live.drain(60))
    await until(lambda: world.live.draining)
    world.live.hurry()
    await asyncio.wait_for(drain, 5)
    view = await pending
    assert (view.task.state, view.task.status_message.text) == (TaskState.FAILED, INTERRUPTED)
