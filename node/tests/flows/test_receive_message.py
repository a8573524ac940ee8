from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.changes import Change, SaveTask
from csbond.flows.limits import Limits
from csbond.flows.receive_message import receive_message
from csbond.flows.turn import Ask, Reply, Say
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.messages.extensions import CONTEXT_SUMMARY, MEMORY, SENDER, SESSION_CONTEXT
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.push import PushConfig
from csbond.protocol.messages.task import TaskState, move
from csbond_tests.requirements import requirement
from csbond_tests.stories import (
    HeldLedger,
    answered,
    ask_then_echo,
    incoming,
    refusal,
    said_in,
    shown,
    told,
    until,
    world_of,
)


async def reply(turn):
    yield Reply((text_part(f"re: {turn.message.text}"),))


ANN = Caller(CallerKind.PRINCIPAL, "ann", spaces=frozenset({"home"}))
EVERYBODY = [OWNER, ANN, ANONYMOUS]


@requirement("A2A-SEND-001", "A2A-SEND-003", "A2A-SEND-008", "A2A-SEND-009", "A2A-SEND-019")
@pytest.mark.parametrize("caller", EVERYBODY, ids=lambda caller: caller.kind)
async def test_a_message_becomes_a_task_with_the_answer_as_its_artifact(caller: Caller) -> None:
    world = world_of()
    first = await answered(world, incoming("hello"), caller)
    second = await answered(world, incoming("hello"), caller)
    assert first.task.state is TaskState.COMPLETED
    assert told(first) == "hello"
    assert said_in(first) == ["hello", "hello"]
    assert {message.context_id for message in first.history} == {first.task.context_id}
    assert {message.task_id for message in first.history} == {first.task.id}
    assert first.task.id != second.task.id
    assert first.task.context_id != second.task.context_id
    assert not world.live.by_id


@requirement("A2A-SEND-010", "A2A-SEND-013")
async def test_a_context_that_the_client_brings_is_kept_for_every_task_in_it() -> None:
    world = world_of()
    first = await answered(world, incoming("one", context_id="c-1"))
    second = await answered(world, incoming("two", context_id="c-1"))
    assert first.task.context_id == second.task.context_id == "c-1"
    assert first.task.id != second.task.id
    assert [message.message.text for message in world.skill.turns[1].window] == ["one", "one"]


async def test_the_same_context_id_of_two_callers_is_two_sessions() -> None:
    world = world_of()
    await answered(world, incoming("of the owner", context_id="c-1"))
    await answered(world, incoming("of ann", context_id="c-1"), ANN)
    assert world.skill.turns[1].window == ()


@requirement("A2A-SEND-011", "A2A-SEND-014", "FAULT-01")
async def test_follow_ups_with_the_task_id_alone_stay_in_its_context() -> None:
    world = world_of(ask_then_echo)
    view = await answered(world, incoming("one"))
    task = view.task
    assert task.state is TaskState.INPUT_REQUIRED
    for text in ("two", "three", "end"):
        view = await answered(world, incoming(text, task_id=task.id))
        assert (view.task.id, view.task.context_id) == (task.id, task.context_id)
        assert {message.context_id for message in view.history} == {task.context_id}
    assert view.task.state is TaskState.COMPLETED
    assert told(view) == "one|two|three|end"
    assert said_in(view)[::2] == ["one", "two", "three", "end"]


@requirement("A2A-SEND-012")
async def test_another_context_than_that_of_the_task_is_refused() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    fault = await refusal(world, incoming("two", task_id=task.id, context_id="other"))
    assert (fault.code.name, fault.field) == ("invalid_params", "message.contextId")


@requirement("A2A-SEND-007", "A2A-ERR-005", "FAULT-03")
@pytest.mark.parametrize("stranger", [ANN, ANONYMOUS], ids=lambda caller: caller.kind)
async def test_a_task_of_another_is_answered_as_one_that_is_not_there(stranger: Caller) -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    theirs = await refusal(world, incoming("two", task_id=task.id), stranger)
    nobodys = await refusal(world, incoming("two", task_id="no such task"), stranger)
    assert (theirs.code, theirs.reason) == (nobodys.code, nobodys.reason)
    assert theirs.code.name == "task_not_found"


@requirement("A2A-SEND-006")
async def test_a_message_to_a_task_that_has_ended_is_refused() -> None:
    world = world_of()
    task = (await answered(world, incoming("one"))).task
    assert (await refusal(world, incoming("two", task_id=task.id))).code.name == "unsupported_operation"


@requirement("A2A-SEND-016", "A2A-DATA-008")
@pytest.mark.parametrize(
    "asked, code",
    [
        (incoming(()), "invalid_params"),
        (incoming((Part(PartKind.FILE, b"x" * 11),)), "body_too_large"),
        (incoming("hi", context_id="c" * 257), "invalid_params"),
        (incoming("hi", message_metadata={SESSION_CONTEXT: {"importance": 9}}), "invalid_params"),
        (incoming("hi", message_metadata={"parent_id": 7}), "invalid_params"),
        (incoming("hi", context_id="c\x00"), "invalid_params"),
        (incoming("hi", message_metadata={SESSION_CONTEXT: {"thread_id": "t\x00"}}), "invalid_params"),
        (incoming("hi", message_metadata={"history_length": -1}), "invalid_params"),
        (incoming("hi", message_metadata={"history_length": 1.5}), "invalid_params"),
        (incoming("hi", message_metadata={CONTEXT_SUMMARY: {"length_hint": "zzz"}}), "invalid_params"),
        (incoming("hi", message_metadata={"private": "yes"}), "invalid_params"),
        (incoming("hi", message_metadata={MEMORY: {"remember": "no"}}), "invalid_params"),
        (incoming("hi", push=PushConfig("", "", "http://inside.example/")), "webhook_refused"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_does_not_fit_is_refused_and_nothing_is_kept(asked, code: str) -> None:
    world = world_of()
    world = replace(world, limits=replace(world.limits, file_bytes=10))
    world.webhooks.refused.add("http://inside.example/")
    assert (await refusal(world, asked)).code.name == code
    assert not world.skill.turns


async def test_a_node_whose_vectors_are_far_behind_takes_no_message() -> None:
    world = world_of(limits=Limits(index_lag=2))
    world.signals.indexing.written(2)
    await answered(world, incoming("Where is it?"))
    world.signals.indexing.written(1)
    fault = await refusal(world, incoming("The key is under the mat."))
    assert (type(fault), fault.code.name) == (Unavailable, "too_busy")
    world.signals.indexing.reached(0, 1)
    await answered(world, incoming("The key is under the mat."))


@requirement("MEM-001-1.3-unwanted")
async def test_a_message_that_need_not_be_remembered_stays_in_its_thread_alone() -> None:
    world = world_of()
    unwanted = {MEMORY: {"remember": False}}
    view = await answered(world, incoming("The key is under the mat.", message_metadata=unwanted))
    assert (await world.ledger.counts())["entries"] == 0
    assert said_in(view)[0] == "The key is under the mat."
    heard = await world.ledger.thread_messages(view.task.thread_id, OWNER.key, None, 9)
    assert heard[0].message.text == "The key is under the mat."
    await answered(world, incoming("The key is under the mat.", message_metadata={MEMORY: {"remember": True}}))
    assert (await world.ledger.counts())["entries"] == 1


@requirement("NODE-003")
async def test_a_draining_node_takes_no_message() -> None:
    world = world_of()
    world.live.draining = True
    assert (await refusal(world, incoming())).code.name == "draining"


@requirement("NODE-006")
async def test_acceptance_and_end_leave_a_record_each_with_the_intent_and_the_authority() -> None:
    world = world_of()
    view = await answered(world, incoming("hi", message_metadata={SENDER: "Heng"}), ANN)
    accepted, done = [record.body for record in world.ledger.records]
    assert (accepted["type"], done["type"]) == ("message_accept", "message_done")
    for body in (accepted, done):
        assert body["action"]["target"] == view.task.id
        assert body["intent"] == {
            "goal": "answer a message",
            "requested_by": "Heng",
            "authority": "principal token",
        }


async def test_acceptance_is_one_change_with_everything_of_the_message() -> None:
    world = world_of()
    await answered(world, incoming("hi", push=PushConfig("", "", "https://hooks.example/")))
    names = [type(write).__name__ for write in world.ledger.changes[0].writes]
    assert names == ["KeepThread", "KeepSession", "SaveTask", "AppendMessage", "RememberRequest", "SavePushConfig"]
    assert len(world.ledger.changes[0].audit) == 1


@requirement("A2A-SEND-015")
@pytest.mark.parametrize("caller", [OWNER, ANN], ids=lambda caller: caller.kind)
async def test_the_same_message_again_is_answered_by_the_task_it_began(caller: Caller) -> None:
    world = world_of()
    asked = incoming("hello")
    first = await answered(world, asked, caller)
    again = await answered(world, asked, caller)
    assert again == first
    assert len(world.skill.turns) == 1
    assert not world.live.by_id


@requirement("A2A-SEND-015")
async def test_the_same_message_while_its_task_runs_waits_for_the_same_answer() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        await go.wait()
        yield Say(turn.message.parts)

    world = world_of(slowly)
    asked = incoming("hello")
    first = asyncio.create_task(answered(world, asked))
    await until(lambda: len(world.skill.turns) == 1)
    again = asyncio.create_task(answered(world, asked))
    await until(lambda: all(live.holders > 2 for live in world.live.by_id.values()))
    go.set()
    assert (await again) == (await first)
    assert len(world.skill.turns) == 1


@requirement("A2A-SEND-015")
async def test_the_same_message_twice_at_once_is_worked_on_once() -> None:
    ledger = HeldLedger()
    world = world_of(ledger=ledger)
    asked = incoming("hello")
    ledger.hold()
    both = [asyncio.create_task(answered(world, asked)) for _ in range(2)]
    await until(lambda: ledger.waiting >= 1)
    for _ in range(20):
        await asyncio.sleep(0)
    ledger.let_go()
    first, second = await asyncio.gather(*both)
    assert first.task.id == second.task.id
    assert len(world.skill.turns) == 1


@requirement("A2A-SEND-015")
async def test_a_bare_reply_is_given_again_as_well() -> None:
    world = world_of(reply, may_reply=True)
    asked = incoming("hello")
    first = await answered(world, asked)
    again = await answered(world, asked)
    assert told(again) == told(first) == "re: hello"
    assert len(world.skill.turns) == 1


@requirement("A2A-SEND-015")
@pytest.mark.parametrize(
    "change", [{"parts": (text_part("other"),)}, {"metadata": {"k": 1}}], ids=["other words", "other metadata"]
)
async def test_the_same_id_on_another_message_is_another_message(change) -> None:
    world = world_of()
    asked = incoming("hello")
    first = await answered(world, asked)
    second = await answered(world, replace(asked, message=replace(asked.message, **change)))
    assert first.task.id != second.task.id
    assert len(world.skill.turns) == 2


@requirement("A2A-SEND-015")
async def test_the_same_id_of_two_callers_is_two_messages() -> None:
    world = world_of()
    asked = incoming("hello")
    ids = {(await answered(world, asked, caller)).task.id for caller in EVERYBODY}
    assert len(ids) == 3


@requirement("A2A-SEND-015")
async def test_a_repeat_after_the_window_is_a_new_message() -> None:
    world = world_of()
    asked = incoming("hello")
    first = await answered(world, asked)
    world.clock.advance(world.limits.repeat_window_s * 1000 + 1)
    assert (await answered(world, asked)).task.id != first.task.id


@requirement("A2A-SEND-015")
async def test_a_repeated_message_to_a_waiting_task_is_not_a_second_turn() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    asked = incoming("two", task_id=task.id)
    first = await answered(world, asked)
    again = await answered(world, asked)
    assert said_in(again) == said_in(first)
    assert len(world.skill.turns) == 2


@requirement("A2A-SEND-004")
async def test_a_message_that_returns_at_once_is_worked_on_all_the_same() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        await go.wait()
        yield Say(turn.message.parts)

    world = world_of(slowly)
    at_once = await answered(world, incoming("hello", return_immediately=True))
    assert at_once.task.state is TaskState.SUBMITTED
    go.set()
    await until(lambda: not world.live.by_id)
    view = await shown(world, at_once.task.id)
    assert (view.task.state, told(view)) == (TaskState.COMPLETED, "hello")


@requirement("FAULT-19")
async def test_a_caller_who_leaves_does_not_stop_the_task() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        await go.wait()
        yield Say(turn.message.parts)

    world = world_of(slowly)
    left = asyncio.create_task(answered(world, incoming("hello")))
    await until(lambda: len(world.skill.turns) == 1)
    (task_id,) = world.live.by_id
    left.cancel()
    await asyncio.gather(left, return_exceptions=True)
    go.set()
    await until(lambda: not world.live.by_id)
    assert told(await shown(world, task_id)) == "hello"


@requirement("NODE-007", "FAULT-16")
async def test_five_messages_at_once_to_one_task_get_each_its_own_answer() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("zero"))).task
    texts = ["one", "two", "three", "four", "five"]
    views = await asyncio.gather(*(answered(world, incoming(text, task_id=task.id)) for text in texts))
    for text, view in zip(texts, views, strict=True):
        assert view.task.context_id == task.context_id
        assert view.task.state is TaskState.INPUT_REQUIRED
        assert view.task.status_message.text == f"and after {text}?"
        assert said_in(view)[-2] == text
        assert told(view).split("|")[-1] == text
    assert [turn.message.text for turn in world.skill.turns] == ["zero", *texts]
    assert not world.live.by_id


@requirement("NODE-007", "FAULT-16")
async def test_a_message_that_waits_for_its_turn_is_refused_when_the_turn_before_ends_the_task() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("zero"))).task
    ended: Any = await asyncio.gather(
        answered(world, incoming("end", task_id=task.id)),
        answered(world, incoming("late", task_id=task.id)),
        return_exceptions=True,
    )
    ending, late = ended
    assert ending.task.state is TaskState.COMPLETED
    assert isinstance(late, CsbError)
    assert late.code.name == "unsupported_operation"
    assert not world.live.by_id


@requirement("FAULT-09")
async def test_a_task_that_somebody_else_changed_meanwhile_is_not_overwritten() -> None:
    go = asyncio.Event()

    async def play(turn):
        if turn.message.text == "one":
            yield Ask((text_part("more?"),))
            return
        await go.wait()
        yield Say((text_part("too late"),))

    world = world_of(play)
    task = (await answered(world, incoming("one"))).task
    pending = asyncio.create_task(answered(world, incoming("two", task_id=task.id)))
    await until(lambda: len(world.skill.turns) == 2)
    current = await world.ledger.task(task.id, "owner")
    elsewhere = move(current, TaskState.COMPLETED, world.clock.now())
    await world.ledger.commit(Change("home", (SaveTask(elsewhere),)))
    go.set()
    with pytest.raises(CsbError) as refused:
        await pending
    assert refused.value.code.name == "version_conflict"
    view = await shown(world, task.id)
    assert view.task.state is TaskState.COMPLETED
    assert said_in(view) == ["one", "more?", "two"]
    with pytest.raises(CsbError) as refused:
        await answered(world, incoming("three", task_id=task.id))
    assert refused.value.code.name == "unsupported_operation"


async def test_a_message_accepted_but_not_followed_is_released() -> None:
    world = world_of()
    accepted = await receive_message(world, incoming(), OWNER)
    world.live.release(accepted.live)
    await until(lambda: not world.live.by_id)
