from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from csbond.flows.cancel_task import cancel_task
from csbond.flows.deliver_notifications import deliver_due
from csbond.flows.follow_task import follow_task
from csbond.flows.live_tasks import LiveTasks
from csbond.flows.reconcile_tasks import INTERRUPTED, reconcile_tasks
from csbond.flows.turn import Reply, Say
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.push import PushConfig
from csbond.protocol.messages.task import TaskState
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, echo, incoming, shown, told, until, world_of

HOOK = PushConfig("w", "", "https://hooks.example/")


async def for_ever(turn):
    yield Say((text_part("so far"),))
    await asyncio.Event().wait()


async def after_kill(world, task_id: str):
    """The same ledger in the hands of a new process: what ran does not run any more."""
    for live in list(world.live.by_id.values()):
        live.runner.cancel()
        await asyncio.gather(live.runner, return_exceptions=True)
    again = replace(world, live=LiveTasks())
    task = await again.ledger.task(task_id, None)
    assert task is None or task.state is TaskState.SUBMITTED, "the cancelled runner wrote an end"
    return again


async def interrupted(**facts):
    world = world_of(for_ever)
    view = await answered(world, incoming(return_immediately=True, **facts))
    await until(lambda: len(world.skill.turns) == 1 and len(world.live.by_id[view.task.id].events) == 2)
    return await after_kill(world, view.task.id), view.task.id


@requirement("FAULT-18", "NODE-006")
async def test_after_a_restart_a_running_task_is_failed_with_what_it_had_and_says_why() -> None:
    world, task_id = await interrupted()
    assert await reconcile_tasks(world) == 1
    view = await shown(world, task_id)
    assert view.task.state is TaskState.FAILED
    assert view.task.status_message.text == INTERRUPTED
    assert told(view) == "so far"
    assert world.ledger.records[-1].body["type"] == "message_failed"
    assert await world.ledger.unfinished_tasks() == ()
    assert await reconcile_tasks(world) == 0


@requirement("FAULT-18")
async def test_nobody_hangs_on_an_interrupted_task() -> None:
    world, task_id = await interrupted()
    await reconcile_tasks(world)
    for refused_story in (cancel_task(world, task_id, OWNER), anext(follow_task(world, task_id, OWNER))):
        with pytest.raises(CsbError):
            await asyncio.wait_for(refused_story, 5)
    with pytest.raises(CsbError):
        await answered(world, incoming("go on", task_id=task_id))


@requirement("FAULT-18", "A2A-PUSH-010")
async def test_its_webhook_hears_of_it() -> None:
    world, task_id = await interrupted(push=HOOK)
    await reconcile_tasks(world)
    await deliver_due(world)
    ((config, body),) = world.webhooks.posted
    told_task = json.loads(body)["task"]
    assert (config.id, told_task["id"], told_task["status"]["state"]) == ("w", task_id, "TASK_STATE_FAILED")


@requirement("FAULT-18")
async def test_the_message_can_be_sent_again_and_is_answered() -> None:
    world = world_of(for_ever)
    view = await answered(world, incoming("hello", return_immediately=True))
    await until(lambda: len(world.skill.turns) == 1)
    world = await after_kill(world, view.task.id)
    await reconcile_tasks(world)
    world.skill.script = echo
    again = await answered(world, incoming("hello"))
    assert (again.task.state, told(again)) == (TaskState.COMPLETED, "hello")


@requirement("FAULT-18", "FAULT-32")
async def test_a_task_that_waits_for_its_caller_goes_on_after_a_restart() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    world = replace(world, live=LiveTasks())
    assert await reconcile_tasks(world) == 0
    view = await answered(world, incoming("end", task_id=task.id))
    assert (view.task.state, told(view)) == (TaskState.COMPLETED, "one|end")


@requirement("FAULT-18")
async def test_a_message_that_would_have_had_a_bare_reply_leaves_nothing_unfinished() -> None:
    async def never(turn):
        await asyncio.Event().wait()
        yield Reply((text_part("hey"),))

    world = world_of(never, may_reply=True)
    left = asyncio.create_task(answered(world, incoming()))
    await until(lambda: len(world.skill.turns) == 1)
    (task_id,) = world.live.by_id
    left.cancel()
    world = await after_kill(world, task_id)
    assert await reconcile_tasks(world) == 1
    assert await world.ledger.unfinished_tasks() == ()


async def test_a_task_that_runs_here_is_left_alone() -> None:
    world = world_of(for_ever)
    view = await answered(world, incoming(return_immediately=True))
    assert await reconcile_tasks(world) == 0
    await cancel_task(world, view.task.id, OWNER)
