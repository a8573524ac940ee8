from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows.changes import AppendChunk, AppendMessage, SaveTask
from csbond.flows.follow_task import follow_task, stream_message
from csbond.flows.memory_changes import PutEntry
from csbond.flows.turn import Ask, Done, Fail, Reject, Reply, Say, Working
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.task import TaskState
from csbond_tests.requirements import requirement
from csbond_tests.stories import (
    HeldLedger,
    answered,
    ask_then_echo,
    following,
    incoming,
    said_in,
    shown,
    told,
    until,
    world_of,
)

SECRET = "secret internal detail"


def playing(*answers):
    async def script(turn):
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
            yield answer

    return script


HI = Say((text_part("hi"),))
WHICH = (text_part("which one?"),)


@requirement("A2A-SEND-002", "A2A-SEND-003", "A2A-SEND-021", "NODE-006", "NODE-008")
@pytest.mark.parametrize(
    "answers, state, status, record",
    [
        ((), "completed", None, "message_done"),
        ((HI,), "completed", None, "message_done"),
        ((HI, Done()), "completed", None, "message_done"),
        ((HI, Done((text_part("ready"),))), "completed", "ready", "message_done"),
        ((HI, Ask(WHICH)), "input_required", "which one?", "message_ask"),
        ((HI, Ask(WHICH, auth=True)), "auth_required", "which one?", "message_ask"),
        ((HI, Reject("not my business")), "rejected", "not my business", "message_refused"),
        ((HI, Fail("no luck")), "failed", "no luck", "message_failed"),
        ((HI, Unavailable("peer_unreachable", "the model sleeps")), "failed", "the model sleeps", "message_failed"),
    ],
)
async def test_a_turn_ends_done_waiting_refused_or_failed(answers, state: str, status: str | None, record: str) -> None:
    world = world_of(playing(*answers))
    view = await answered(world, incoming())
    message = view.task.status_message
    assert view.task.state.value == state
    assert (message.text if message else None) == status
    assert told(view) == ("hi" if answers else "")
    assert [each.body["type"] for each in world.ledger.records] == ["message_accept", record]
    assert world.skill.ended == 1
    assert not world.live.by_id


@requirement("NODE-008", "FAULT-23", "A2A-ERR-007")
@pytest.mark.parametrize("kind", [RuntimeError, ValueError, TimeoutError, AssertionError])
async def test_what_breaks_inside_a_skill_is_noted_for_the_owner_and_not_told(kind: type[Exception]) -> None:
    fault = kind(SECRET)
    world = world_of(playing(HI, fault))
    view = await answered(world, incoming())
    assert view.task.state is TaskState.FAILED
    assert SECRET not in repr(view)
    assert "seconds" not in view.task.status_message.text, "it did not run out of time"
    assert [(story, noted) for story, noted, _ in world.journal.noted] == [("answer", fault)]


@requirement("NODE-008")
async def test_a_skill_that_takes_too_long_fails_the_task_and_is_stopped() -> None:
    async def for_ever(turn):
        yield HI
        await asyncio.Event().wait()

    world = world_of(for_ever, timeout_s=0.01)
    view = await answered(world, incoming())
    assert view.task.state is TaskState.FAILED
    assert view.task.status_message.text == "No answer within 0.01 seconds."
    assert told(view) == "hi"
    assert world.skill.ended == 1


@requirement("NODE-008", "A2A-DATA-008")
async def test_a_skill_that_says_too_much_fails_the_task() -> None:
    async def run_away(turn):
        while True:
            yield Say((text_part("x" * 10),), append=True)

    world = world_of(run_away)
    world = replace(world, limits=replace(world.limits, answer_bytes=95))
    view = await answered(world, incoming())
    assert view.task.state is TaskState.FAILED
    assert told(view) == "x" * 90
    assert world.skill.ended == 1


@requirement("NODE-008")
@pytest.mark.parametrize(
    "answer",
    [
        Say((Part(PartKind.DATA, ["x"] * 50),)),
        Say((text_part("x"),), metadata={"x": "x" * 100}),
        Say((Part(PartKind.TEXT, "x", metadata={"x": "x" * 100}),)),
        Working("x" * 100),
        Done((text_part("x" * 100),)),
        Ask((text_part("x" * 100),)),
        Reply((text_part("x" * 100),)),
        Reject("x" * 100),
    ],
    ids=lambda answer: type(answer).__name__,
)
async def test_whatever_a_skill_says_counts(answer) -> None:
    world = world_of(playing(answer), may_reply=True)
    world = replace(world, limits=replace(world.limits, answer_bytes=95))
    view = await answered(world, incoming())
    assert view.task.state is TaskState.FAILED
    assert view.task.status_message.text == "The answer is longer than this node keeps."


@requirement("NODE-008")
async def test_a_skill_that_says_what_cannot_be_kept_fails_the_task() -> None:
    world = world_of(playing(Say((Part(PartKind.DATA, {"x": object()}),))))
    view = await answered(world, incoming())
    assert view.task.state is TaskState.FAILED
    assert not world.live.by_id


@requirement("A2A-STREAM-001", "FAULT-28")
@pytest.mark.parametrize("may_reply", [False, True])
@pytest.mark.parametrize(
    "answers, spoken",
    [
        ((), ["task submitted", "completed"]),
        ((HI,), ["task submitted", "=hi", "completed"]),
        ((Working("thinking"), HI), ["task submitted", "working", "=hi", "completed"]),
        ((Ask(WHICH),), ["task submitted", "input_required"]),
        ((Reject("no"),), ["task submitted", "rejected"]),
        ((Fail("no"),), ["task submitted", "failed"]),
        ((RuntimeError(SECRET),), ["task submitted", "failed"]),
    ],
)
async def test_the_task_comes_first_whatever_the_skill_says_first(answers, spoken, may_reply: bool) -> None:
    world = world_of(playing(*answers), may_reply=may_reply)
    assert await following(stream_message(world, incoming(), OWNER)).end() == spoken


@requirement("A2A-STREAM-002", "A2A-SEND-001")
async def test_a_bare_reply_is_the_only_event_and_no_task_is_shown_for_it() -> None:
    world = world_of(playing(Reply((text_part("hey"),))), may_reply=True)
    events = following(stream_message(world, incoming(), OWNER))
    assert await events.end() == ["message hey"]
    (event,) = events.events
    assert event.message.context_id
    assert not event.message.task_id
    assert (await world.ledger.counts())["tasks"] == 0
    assert told(await answered(world, incoming())) == "hey"


async def test_a_bare_reply_is_kept_in_its_thread() -> None:
    world = world_of(playing(Reply((text_part("hey"),))), may_reply=True)
    reply = await answered(world, incoming("hello", context_id="c-1"))
    said = await world.ledger.thread_messages("c-1", "owner", None, 10)
    assert [kept.message.text for kept in said] == ["hello", "hey"]
    assert reply.context_id == "c-1"


async def test_what_is_said_while_working_is_the_status_of_the_task() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        yield Working("looking")
        await go.wait()

    world = world_of(slowly)
    pending = asyncio.create_task(answered(world, incoming()))
    await until(lambda: any(live.task.status_message for live in world.live.by_id.values()))
    (task_id,) = world.live.by_id
    now = await shown(world, task_id)
    assert (now.task.state, now.task.status_message.text) == (TaskState.WORKING, "looking")
    go.set()
    assert (await pending).task.state is TaskState.COMPLETED


@requirement("FAULT-10")
async def test_what_is_written_for_a_chunk_is_the_chunk_alone() -> None:
    chunks = [Say((text_part(f"{number},"),), append=number > 0) for number in range(200)]
    world = world_of(playing(*chunks))
    writes: list[AppendChunk] = []
    soon = world.ledger.append_chunk_soon

    async def counted(change):
        writes.extend(change.writes)
        assert not change.audit
        await soon(change)

    world.ledger.append_chunk_soon = counted
    view = await answered(world, incoming())
    assert told(view) == "".join(f"{number}," for number in range(200))
    assert [write.artifact.parts for write in writes] == [chunk.parts for chunk in chunks]
    assert len(world.ledger.changes) == 2, "acceptance and end"


async def test_the_end_is_one_change_with_task_answer_memory_and_record() -> None:
    world = world_of(playing(HI))
    await answered(world, incoming("My cat is called Miso."))
    end = world.ledger.changes[-1]
    assert [type(write) for write in end.writes] == [SaveTask, AppendMessage, PutEntry]
    assert [draft.type for draft in end.audit] == ["message_done"]


@pytest.mark.parametrize("answer", [Reject("no"), Fail("no"), RuntimeError("no")])
async def test_a_turn_that_came_to_nothing_leaves_no_memory(answer) -> None:
    world = world_of(playing(answer))
    await answered(world, incoming("My cat is called Miso."))
    assert (await world.ledger.counts())["entries"] == 0


FULL = Unavailable("storage_full", "the disk is full")


@requirement("NODE-004")
async def test_when_the_end_cannot_be_kept_everybody_who_waits_gets_an_error() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        yield HI
        await go.wait()

    world = world_of(slowly)
    stream = following(stream_message(world, incoming(), OWNER))
    await until(lambda: len(stream.events) == 2)
    (task_id,) = world.live.by_id
    other = following(follow_task(world, task_id, OWNER))
    await until(lambda: len(other.events) == 1)
    world.ledger.faults = [FULL, FULL]
    go.set()
    for each in (stream, other):
        with pytest.raises(CsbError) as refused:
            await each.end()
        assert refused.value.code.name == "storage_full"
        assert "completed" not in each.spoken, "an end that is not on disk was told"
    assert world.journal.codes == ["storage_full", "storage_full"]
    assert not world.live.by_id


@requirement("NODE-004", "A2A-ERR-007")
@pytest.mark.parametrize("fault, code", [(FULL, "storage_full"), (RuntimeError(SECRET), "internal_error")])
async def test_a_caller_who_waits_gets_an_error_that_tells_nothing_internal(fault: Exception, code: str) -> None:
    world = world_of(playing(HI))
    world.ledger.faults = [None, fault, fault]
    with pytest.raises(CsbError) as refused:
        await asyncio.wait_for(answered(world, incoming()), 5)
    assert refused.value.code.name == code
    assert SECRET not in refused.value.reason
    assert not world.live.by_id


@requirement("NODE-004")
@pytest.mark.parametrize("fault", [FULL, RuntimeError(SECRET)])
async def test_an_end_that_cannot_be_kept_once_is_kept_as_a_failure(fault: Exception) -> None:
    world = world_of(playing(HI))
    world.ledger.faults = [None, fault]
    events = following(stream_message(world, incoming(), OWNER))
    assert await events.end() == ["task submitted", "=hi", "failed"]
    assert await world.ledger.unfinished_tasks() == ()
    assert [record.body["type"] for record in world.ledger.records] == ["message_accept", "message_failed"]
    assert world.journal.noted[0][1] is fault


@requirement("NODE-004")
async def test_a_task_whose_end_was_lost_takes_the_next_message() -> None:
    world = world_of(ask_then_echo)
    world.ledger.faults = [None, FULL, FULL]
    with pytest.raises(CsbError):
        await answered(world, incoming("one"))
    (task,) = await world.ledger.unfinished_tasks()
    view = await answered(world, incoming("two", task_id=task.id))
    assert view.task.state is TaskState.INPUT_REQUIRED
    assert view.task.status_message.text == "and after two?"
    assert said_in(view)[:2] == ["one", "two"]


async def test_no_transaction_is_open_while_the_skill_works() -> None:
    ledger = HeldLedger()
    go = asyncio.Event()

    async def slowly(turn):
        yield HI
        await go.wait()

    world = world_of(slowly, ledger)
    pending = asyncio.create_task(answered(world, incoming()))
    await until(lambda: bool(world.skill.turns))
    assert ledger.waiting == 0
    go.set()
    await pending


async def test_a_turn_is_given_what_was_said_before_and_who_asks() -> None:
    world = world_of(ask_then_echo, window=2)
    task = (await answered(world, incoming("one"))).task
    await answered(world, incoming("two", task_id=task.id))
    await answered(world, incoming("three", task_id=task.id))
    turn = world.skill.turns[-1]
    assert (turn.message.text, turn.caller, turn.agent_name) == ("three", OWNER, "Luna")
    assert [kept.message.text for kept in turn.window] == ["two", "and after two?"]


@requirement("DRAFT-009", "DRAFT-014")
async def test_a_message_may_narrow_its_window_and_the_rest_is_summed_up() -> None:
    world = world_of(ask_then_echo, window=20)
    task = (await answered(world, incoming("We decided to meet on Friday in the old library."))).task
    await answered(world, incoming("two", task_id=task.id))
    asked = incoming("three", task_id=task.id, message_metadata={"history_length": 1})
    await answered(world, asked)
    turn = world.skill.turns[-1]
    assert [kept.message.text for kept in turn.window] == ["and after two?"]
    assert turn.summary is not None
