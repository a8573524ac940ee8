from __future__ import annotations

import pytest

from csbond.flows.end_task import end_task
from csbond.flows.follow_task import follow_task
from csbond.flows.reconcile_tasks import _ENDING, end_lost_tasks
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.task import TaskState
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, following, incoming, shown, until, world_of

FULL = Unavailable("storage_full", "the disk is full")


async def stuck_task(world) -> str:
    """A task that is still submitted on disk, for its end could not be kept there."""
    message = incoming()
    world.ledger.faults = [None, FULL, FULL]
    with pytest.raises(CsbError, match="the disk is full"):
        await answered(world, message)
    (task,) = await world.ledger.unfinished_tasks()
    return task.id


@requirement("FAULT-18", "NODE-004")
async def test_a_task_whose_end_could_not_be_kept_is_ended_later_and_who_follows_it_hears_it() -> None:
    world = world_of()
    task_id = await stuck_task(world)
    follower = following(follow_task(world, task_id, OWNER))
    await until(lambda: len(follower.events) == 1)
    assert await end_lost_tasks(world) == 1
    assert (await follower.end())[-1] == "failed"
    assert (await shown(world, task_id)).task.state is TaskState.FAILED
    assert (world.live.by_id, world.live.lost) == ({}, set())


async def test_a_task_that_went_on_and_one_that_never_was_are_lost_no_more() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    world.live.lost |= {task.id, "never kept"}
    assert await end_lost_tasks(world) == 0
    assert world.live.lost == set()
    assert (await shown(world, task.id)).task.state is TaskState.INPUT_REQUIRED


async def test_nothing_is_lost_where_turns_end_as_they_should() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    await answered(world, incoming("end", task_id=task.id))
    world.ledger.faults = [FULL]
    with pytest.raises(CsbError):
        await answered(world, incoming("not accepted"))
    assert await end_lost_tasks(world) == 0
    assert (world.live.by_id, world.live.lost) == ({}, set())


async def test_while_the_ledger_takes_nothing_a_lost_task_stays_known() -> None:
    world = world_of()
    task_id = await stuck_task(world)
    world.ledger.faults = [FULL]
    with pytest.raises(CsbError):
        await end_lost_tasks(world)
    assert world.live.lost == {task_id}
    assert await end_lost_tasks(world) == 1


async def test_a_task_that_moved_on_meanwhile_is_left_alone() -> None:
    world = world_of(ask_then_echo)
    seen = (await answered(world, incoming("one"))).task
    await answered(world, incoming("two", task_id=seen.id))
    assert not await end_task(world, seen, _ENDING)
    assert (await shown(world, seen.id)).task.state is TaskState.INPUT_REQUIRED


async def test_a_task_that_cannot_be_ended_is_let_go_as_it_was() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    world.ledger.faults = [FULL]
    with pytest.raises(CsbError, match="the disk is full"):
        await end_task(world, task, _ENDING)
    assert world.live.by_id == {}
    view = await answered(world, incoming("end", task_id=task.id))
    assert view.task.state is TaskState.COMPLETED
