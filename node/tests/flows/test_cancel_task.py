from __future__ import annotations

import asyncio

import pytest

from csbond.flows.cancel_task import cancel_task
from csbond.flows.follow_task import follow_task, stream_message
from csbond.flows.turn import Ask, Reply, Say, Working
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.task import TaskState
from csbond_tests.requirements import requirement
from csbond_tests.stories import (
    HeldLedger,
    answered,
    ask_then_echo,
    following,
    incoming,
    shown,
    told,
    until,
    world_of,
)

ANN = Caller(CallerKind.PRINCIPAL, "ann")


async def for_ever(turn):
    yield Say((text_part("so far"),))
    await asyncio.Event().wait()


async def refusal(world, task_id: str, caller: Caller = OWNER) -> str:
    with pytest.raises(CsbError) as refused:
        await cancel_task(world, task_id, caller)
    return refused.value.code.name


async def running(world) -> tuple[str, following]:
    stream = following(stream_message(world, incoming(), OWNER))
    await until(lambda: len(stream.events) == 2)
    (task_id,) = world.live.by_id
    return task_id, stream


@requirement("A2A-CANCEL-001", "A2A-CANCEL-003", "FAULT-04", "NODE-006")
async def test_a_running_task_is_stopped_and_canceled_for_everybody() -> None:
    world = world_of(for_ever)
    task_id, stream = await running(world)
    other = following(follow_task(world, task_id, OWNER))
    await until(lambda: len(other.events) == 1)
    view = await cancel_task(world, task_id, OWNER)
    assert view.task.state is TaskState.CANCELED
    assert told(view) == "so far"
    assert await stream.end() == ["task submitted", "=so far", "canceled"]
    assert await other.end() == ["task submitted so far", "canceled"]
    assert (await shown(world, task_id)).task.state is TaskState.CANCELED
    assert world.skill.ended == 1
    assert [record.body["type"] for record in world.ledger.records] == ["message_accept", "message_cancel"]
    assert await refusal(world, task_id) == "task_not_cancelable"
    assert not world.live.by_id


@requirement("A2A-CANCEL-002", "A2A-CANCEL-003", "FAULT-04", "NODE-006")
async def test_a_waiting_task_is_ended() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    other = following(follow_task(world, task.id, OWNER))
    await until(lambda: len(other.events) == 1)
    view = await cancel_task(world, task.id, OWNER)
    assert (view.task.state, told(view)) == (TaskState.CANCELED, "one")
    assert await other.end() == ["task input_required one", "canceled"]
    assert await refusal(world, task.id) == "task_not_cancelable"
    assert world.ledger.records[-1].body["type"] == "message_cancel"
    assert not world.live.by_id


@requirement("A2A-CANCEL-003")
async def test_a_task_that_has_ended_cannot_be_canceled() -> None:
    world = world_of()
    task = (await answered(world, incoming())).task
    before = len(world.ledger.records)
    assert await refusal(world, task.id) == "task_not_cancelable"
    assert len(world.ledger.records) == before
    assert not world.live.by_id


@requirement("A2A-CANCEL-004", "A2A-ERR-005", "FAULT-03")
@pytest.mark.parametrize("stranger", [ANN, ANONYMOUS], ids=lambda caller: caller.kind)
async def test_a_running_task_of_another_is_not_there_and_runs_on(stranger: Caller) -> None:
    world = world_of(for_ever)
    task_id, _stream = await running(world)
    assert await refusal(world, task_id, stranger) == "task_not_found"
    assert await refusal(world, "no such task", stranger) == "task_not_found"
    assert (await shown(world, task_id)).task.state is TaskState.SUBMITTED
    await cancel_task(world, task_id, OWNER)


@requirement("FAULT-04")
async def test_a_cancel_before_the_skill_has_begun_is_a_cancel() -> None:
    world = world_of(for_ever)
    view = await answered(world, incoming(return_immediately=True))
    assert not world.skill.turns
    assert (await cancel_task(world, view.task.id, OWNER)).task.state is TaskState.CANCELED
    assert not world.live.by_id


@requirement("FAULT-04")
async def test_two_cancels_at_once_end_the_task_once() -> None:
    world = world_of(for_ever)
    task_id, _stream = await running(world)
    first, second = await asyncio.gather(cancel_task(world, task_id, OWNER), cancel_task(world, task_id, OWNER))
    assert first.task.state is second.task.state is TaskState.CANCELED
    assert [record.body["type"] for record in world.ledger.records].count("message_cancel") == 1


@requirement("FAULT-04")
@pytest.mark.parametrize("ends", [True, False], ids=["at its end", "while it asks"])
async def test_a_cancel_while_the_end_is_being_kept_comes_too_late_and_says_so(ends: bool) -> None:
    ledger = HeldLedger()
    go = asyncio.Event()

    async def play(turn):
        yield Say((text_part("answer"),))
        await go.wait()
        if not ends:
            yield Ask((text_part("more?"),))

    world = world_of(play, ledger)
    task_id, stream = await running(world)
    ledger.hold()
    go.set()
    await until(lambda: ledger.waiting == 1)
    cancel = asyncio.create_task(cancel_task(world, task_id, OWNER))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not cancel.done()
    ledger.let_go()
    await stream.end()
    if ends:
        with pytest.raises(CsbError) as refused:
            await cancel
        assert refused.value.code.name == "task_not_cancelable"
        assert (await shown(world, task_id)).task.state is TaskState.COMPLETED
    else:
        await cancel
        assert (await shown(world, task_id)).task.state is TaskState.CANCELED
    assert not world.live.by_id


@requirement("FAULT-04")
async def test_a_cancel_while_the_next_message_is_being_kept_stops_its_turn() -> None:
    ledger = HeldLedger()

    async def play(turn):
        if turn.message.text == "one":
            yield Ask((text_part("more?"),))
        else:
            yield Working("at it")
            await asyncio.Event().wait()

    world = world_of(play, ledger)
    task = (await answered(world, incoming("one"))).task
    ledger.hold()
    sending = asyncio.create_task(answered(world, incoming("two", task_id=task.id)))
    await until(lambda: ledger.waiting == 1)
    cancel = asyncio.create_task(cancel_task(world, task.id, OWNER))
    for _ in range(20):
        await asyncio.sleep(0)
    ledger.let_go()
    assert (await asyncio.wait_for(cancel, 5)).task.state is TaskState.CANCELED
    assert (await asyncio.wait_for(sending, 5)).task.state is TaskState.CANCELED
    assert not world.live.by_id


@requirement("FAULT-04", "NODE-007")
async def test_messages_that_wait_for_their_turn_are_refused_after_a_cancel() -> None:
    async def play(turn):
        if turn.message.text == "one":
            yield Ask((text_part("more?"),))
        else:
            await asyncio.Event().wait()

    world = world_of(play)
    task = (await answered(world, incoming("one"))).task
    two = asyncio.create_task(answered(world, incoming("two", task_id=task.id)))
    await until(lambda: len(world.skill.turns) == 2)
    three = asyncio.create_task(answered(world, incoming("three", task_id=task.id)))
    await until(lambda: world.live.by_id[task.id].holders >= 3)
    await cancel_task(world, task.id, OWNER)
    assert (await two).task.state is TaskState.CANCELED
    with pytest.raises(CsbError) as refused:
        await three
    assert refused.value.code.name == "unsupported_operation"
    assert not world.live.by_id


@requirement("FAULT-04")
async def test_a_skill_that_does_not_want_to_be_stopped_is_stopped() -> None:
    async def stubborn(turn):
        yield Say((text_part("so far"),))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            yield Say((text_part("I go on"),), append=True)
            await asyncio.Event().wait()

    world = world_of(stubborn)
    task_id, _stream = await running(world)
    view = await asyncio.wait_for(cancel_task(world, task_id, OWNER), 5)
    assert view.task.state is TaskState.CANCELED
    assert not world.live.by_id


async def test_a_cancel_while_a_bare_reply_is_being_kept_finds_no_task() -> None:
    ledger = HeldLedger()
    go = asyncio.Event()

    async def play(turn):
        await go.wait()
        yield Reply((text_part("hey"),))

    world = world_of(play, ledger, may_reply=True)
    sending = asyncio.create_task(answered(world, incoming()))
    await until(lambda: len(world.skill.turns) == 1)
    (task_id,) = world.live.by_id
    ledger.hold()
    go.set()
    await until(lambda: ledger.waiting == 1)
    cancel = asyncio.create_task(cancel_task(world, task_id, OWNER))
    for _ in range(20):
        await asyncio.sleep(0)
    ledger.let_go()
    with pytest.raises(CsbError) as refused:
        await cancel
    assert refused.value.code.name == "task_not_found"
    assert told(await sending) == "hey"
    assert not world.live.by_id


@requirement("FAULT-14")
async def test_no_task_of_the_loop_is_left_behind() -> None:
    world = world_of(for_ever)
    task_id, stream = await running(world)
    await cancel_task(world, task_id, OWNER)
    await stream.end()
    await until(lambda: len(asyncio.all_tasks()) == 1)
