"""What is on disk when a turn begins, and what is left when it does not get there."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows.changes import Change, KeepThread, SaveTask
from csbond.flows.reconcile_tasks import end_lost_tasks
from csbond.flows.set_webhook import webhooks_of
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.push import PushConfig
from csbond.protocol.messages.task import TaskState, move
from csbond_tests.stories import answered, ask_then_echo, incoming, refusal, shown, told, until, world_of

HOOK = PushConfig("first", "", "https://hooks.example/")


async def test_a_message_that_cannot_be_kept_is_not_worked_on() -> None:
    world = world_of()
    world.ledger.fail_next(Unavailable("storage_full", "the disk is full"))
    assert (await refusal(world, incoming())).code.name == "storage_full"
    assert not world.skill.turns
    assert told(await answered(world, incoming("again"))) == "again"


async def test_a_skill_with_effects_begins_when_its_message_is_on_disk() -> None:
    world = world_of(effects=True)
    world.ledger.hold()
    asking = asyncio.create_task(answered(world, incoming("hi")))
    await until(lambda: world.ledger.waiting)
    assert not world.skill.turns
    world.ledger.let_go()
    assert told(await asking) == "hi"


async def test_a_skill_without_effects_begins_while_its_message_is_written_and_is_told_when_it_is_on_disk() -> None:
    world = world_of(effects=False)
    world.ledger.hold()
    asking = asyncio.create_task(answered(world, incoming("hi")))
    await until(lambda: world.skill.ended)
    assert not asking.done()
    world.ledger.let_go()
    assert told(await asking) == "hi"
    assert [record.body["type"] for record in world.ledger.records][:2] == ["message_accept", "message_done"]


async def test_a_message_to_a_waiting_task_is_on_disk_before_its_turn_begins_whatever_the_skill() -> None:
    world = world_of(ask_then_echo, effects=False)
    first = await answered(world, incoming("one"))
    world.ledger.hold()
    asking = asyncio.create_task(answered(world, incoming("two", task_id=first.task.id)))
    await until(lambda: world.ledger.waiting)
    assert len(world.skill.turns) == 1
    world.ledger.let_go()
    await asking


@pytest.mark.parametrize("effects", [True, False])
async def test_a_webhook_that_comes_with_the_message_hears_of_its_end(effects: bool) -> None:
    world = world_of(effects=effects)
    world.ledger.hold()
    asking = asyncio.create_task(answered(world, incoming("hi", push=PushConfig("", "", "https://hooks.example/"))))
    await until(lambda: world.ledger.waiting)
    world.ledger.let_go()
    view = await asking
    deliveries = await world.ledger.due_deliveries(world.clock.now(), 10)
    assert {delivery.task_id for delivery in deliveries} == {view.task.id}


async def test_a_caller_who_leaves_while_a_message_to_a_waiting_task_is_written_leaves_no_task_working() -> None:
    world = world_of(ask_then_echo)
    first = await answered(world, incoming("one"))
    world.ledger.hold()
    asking = asyncio.create_task(answered(world, incoming("two", task_id=first.task.id)))
    await until(lambda: world.ledger.waiting)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    world.ledger.let_go()
    await world.ledger.commit(Change("home", (SaveTask(move(first.task, TaskState.WORKING, world.clock.now())),)))
    assert await end_lost_tasks(world) == 1
    assert (await shown(world, first.task.id)).task.state is TaskState.FAILED


async def test_a_thread_is_not_named_after_what_was_said_in_private() -> None:
    world = world_of()
    await answered(world, incoming("the key lies under the stone", message_metadata={"private": True}))
    (write,) = [write for write in world.ledger.changes[0].writes if isinstance(write, KeepThread)]
    assert write.thread.title == ""


async def test_what_was_worked_on_before_it_could_be_kept_leaves_nothing() -> None:
    world = world_of(effects=False)
    world.ledger.fail_next(Unavailable("storage_full", "the disk is full"))
    assert (await refusal(world, incoming())).code.name == "storage_full"
    assert not world.journal.noted
    assert told(await answered(world, incoming("again"))) == "again"


async def test_a_caller_who_leaves_while_the_message_is_written_does_not_stop_the_task() -> None:
    world = world_of(effects=False)
    world.ledger.hold()
    asking = asyncio.create_task(answered(world, incoming("hi")))
    await until(lambda: world.skill.ended)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    world.ledger.let_go()
    await until(lambda: not world.live.by_id)
    (task_id,) = {change.writes[0].task.id for change in world.ledger.changes if isinstance(change.writes[0], SaveTask)}
    assert told(await shown(world, task_id)) == "hi"


async def test_webhooks_that_come_with_messages_are_counted_with_those_that_are_set() -> None:
    world = world_of(ask_then_echo)
    world = replace(world, limits=replace(world.limits, push_configs=2))
    task = (await answered(world, incoming("one", push=HOOK))).task
    await answered(world, incoming("two", task_id=task.id, push=replace(HOOK, id="second")))
    with pytest.raises(CsbError) as refused:
        await answered(world, incoming("three", task_id=task.id, push=replace(HOOK, id="third")))
    assert refused.value.code.name == "too_busy"
    await answered(world, incoming("four", task_id=task.id, push=replace(HOOK, id="second")))
    assert [kept.id for kept in await webhooks_of(world, task.id, OWNER)] == ["first", "second"]


async def test_a_webhook_that_comes_with_a_message_is_as_short_as_one_that_is_set() -> None:
    assert (
        await refusal(world_of(), incoming(push=replace(HOOK, token="x" * 1_000_000)))
    ).code.name == "invalid_params"
