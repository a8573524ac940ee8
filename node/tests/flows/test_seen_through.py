from __future__ import annotations

from typing import Any

from csbond.flows.follow_task import stream_message
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.task import Task, TaskState
from csbond_tests.requirements import requirement
from csbond_tests.stories import (
    HeldLedger,
    answered,
    ask_then_echo,
    following,
    incoming,
    said_in,
    shown,
    until,
    world_of,
)


def stream(world, asked) -> following:
    return following(stream_message(world, asked, OWNER))


async def left_while_kept(ledger: HeldLedger) -> tuple[Any, Task]:
    """A caller has left while the ledger held its second message."""
    world = world_of(ask_then_echo, ledger)
    task = (await answered(world, incoming("one"))).task
    ledger.hold()
    leaving = stream(world, incoming("two", task_id=task.id))
    await until(lambda: ledger.waiting == 1)
    await leaving.stop()
    return world, task


@requirement("A2A-STREAM-001")
async def test_a_caller_who_leaves_while_a_message_is_kept_leaves_no_task_behind() -> None:
    ledger = HeldLedger()
    world, task = await left_while_kept(ledger)
    ledger.let_go()
    await until(lambda: not world.live.by_id)
    view = await shown(world, task.id)
    assert view.task.state is TaskState.INPUT_REQUIRED
    assert said_in(view) == ["one", "and after one?", "two", "and after two?"]


async def test_what_fails_after_its_caller_left_is_logged() -> None:
    ledger = HeldLedger()
    world, _ = await left_while_kept(ledger)
    ledger.faults.append(OSError("the disk is gone"))
    ledger.let_go()
    await until(lambda: not world.live.by_id)
    await until(lambda: bool(world.journal.noted))
    ((story, fault, _),) = world.journal.noted
    assert (story, str(fault)) == ("abandoned", "the disk is gone")
