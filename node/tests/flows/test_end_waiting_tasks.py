from __future__ import annotations

import asyncio
import json

from csbond.flows.deliver_notifications import deliver_due
from csbond.flows.end_waiting_tasks import BATCH, UNANSWERED, end_waiting_tasks
from csbond.flows.follow_task import follow_task
from csbond.flows.limits import Limits
from csbond.flows.turn import Ask
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.push import PushConfig
from csbond.protocol.messages.task import TaskState
from csbond_tests.stories import answered, ask_then_echo, following, incoming, shown, told, until, world_of

TTL_MS = 60_000
LIMITS = Limits(interrupted_ttl_s=60)


async def waiting_in(world, text: str = "one", **facts):
    return (await answered(world, incoming(text, **facts))).task


async def test_a_task_that_waited_longer_than_the_limit_is_canceled_with_the_reason() -> None:
    world = world_of(ask_then_echo, limits=LIMITS)
    task = await waiting_in(world)
    world.clock.advance(TTL_MS)
    assert await end_waiting_tasks(world) == 0
    world.clock.advance(1)
    assert await end_waiting_tasks(world) == 1
    view = await shown(world, task.id)
    assert (view.task.state, view.task.status_message.text) == (TaskState.CANCELED, UNANSWERED)
    assert told(view) == "one"
    record = world.ledger.records[-1].body
    assert (record["type"], record["action"]["operation"]) == ("message_cancel", "end_waiting_task")
    assert record["intent"]["authority"] == "limits.interrupted_ttl_s"
    assert record["details"] == {"state": "canceled", "was": "input_required"}
    assert await end_waiting_tasks(world) == 0


async def test_a_task_that_waits_for_a_credential_is_no_exception() -> None:
    async def asks_for_a_credential(turn):
        yield Ask((text_part("who are you?"),), auth=True)

    world = world_of(asks_for_a_credential, limits=LIMITS)
    task = await waiting_in(world)
    world.clock.advance(TTL_MS + 1)
    await end_waiting_tasks(world)
    assert (await shown(world, task.id)).task.state is TaskState.CANCELED


async def test_an_answer_begins_the_wait_anew() -> None:
    world = world_of(ask_then_echo, limits=LIMITS)
    task = await waiting_in(world)
    world.clock.advance(TTL_MS)
    await answered(world, incoming("two", task_id=task.id))
    world.clock.advance(TTL_MS)
    assert await end_waiting_tasks(world) == 0
    assert (await shown(world, task.id)).task.state is TaskState.INPUT_REQUIRED


async def test_its_webhooks_and_its_followers_hear_of_it() -> None:
    world = world_of(ask_then_echo, limits=LIMITS)
    task = await waiting_in(world, push=PushConfig("w", "", "https://hooks.example/"))
    await deliver_due(world)
    world.webhooks.posted.clear()
    follower = following(follow_task(world, task.id, OWNER))
    await until(lambda: len(follower.events) == 1)
    world.clock.advance(TTL_MS + 1)
    await end_waiting_tasks(world)
    assert (await follower.end())[-1] == "canceled"
    await deliver_due(world)
    ((_, body),) = world.webhooks.posted
    assert "TASK_STATE_CANCELED" in body.decode()
    assert UNANSWERED in json.dumps(json.loads(body))
    assert world.live.by_id == {}


async def test_a_task_whose_caller_answers_just_now_is_left_alone() -> None:
    go_on = asyncio.Event()

    async def slow_at_the_second(turn):
        if turn.message.text == "two":
            await go_on.wait()
        yield Ask((text_part("and?"),))

    world = world_of(slow_at_the_second, limits=LIMITS)
    task = await waiting_in(world)
    world.clock.advance(TTL_MS + 1)
    world.ledger.hold()
    answering = asyncio.create_task(answered(world, incoming("two", task_id=task.id)))
    await until(lambda: world.ledger.waiting == 1)
    assert await end_waiting_tasks(world) == 0
    world.ledger.let_go()
    go_on.set()
    assert (await asyncio.wait_for(answering, 5)).task.state is TaskState.INPUT_REQUIRED


async def test_all_of_them_are_ended_however_many_there_are() -> None:
    world = world_of(ask_then_echo, limits=LIMITS)
    for _ in range(BATCH + 1):
        await waiting_in(world)
    world.clock.advance(TTL_MS + 1)
    assert await end_waiting_tasks(world) == BATCH + 1
    assert await world.ledger.waiting_tasks(world.clock.now() + 1, 1) == ()
