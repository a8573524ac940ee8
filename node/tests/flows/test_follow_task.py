from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from csbond.flows.follow_task import follow_task, stream_message
from csbond.flows.turn import Ask, Say
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.messages.events import ArtifactGrew, TaskShown
from csbond.protocol.messages.part import text_part
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

ANN = Caller(CallerKind.PRINCIPAL, "ann")


class Steps:
    """A script that says one chunk each time a test lets it."""

    def __init__(self, *chunks: str) -> None:
        self.chunks = chunks
        self.said = 0
        self._allowed = asyncio.Semaphore(0)

    async def __call__(self, turn):
        for chunk in self.chunks:
            await self._allowed.acquire()
            yield Say((text_part(chunk),), append=self.said > 0, last_chunk=chunk == self.chunks[-1])
            self.said += 1
        await self._allowed.acquire()

    async def go(self, count: int = 1) -> None:
        """Let some chunks be said, and wait until they are."""
        for _ in range(count):
            self._allowed.release()
        wanted = min(self.said + count, len(self.chunks))
        await until(lambda: self.said >= wanted)


def whole(events: Sequence[object]) -> str:
    """The answer as a follower has it: what the task held when it was shown, and every chunk after it."""
    text = ""
    for event in events:
        if isinstance(event, TaskShown):
            text = told(event.view)
        elif isinstance(event, ArtifactGrew):
            text = (text if event.append else "") + "".join(part.value for part in event.artifact.parts)
    return text


async def refusal(events) -> str:
    with pytest.raises(CsbError) as refused:
        await anext(events)
    return refused.value.code.name


def stream(world, asked=None, caller: Caller = OWNER) -> following:
    return following(stream_message(world, asked or incoming(), caller))


def follow(world, task_id: str, caller: Caller = OWNER) -> following:
    return following(follow_task(world, task_id, caller))


@requirement("A2A-STREAM-001", "A2A-STREAM-003", "A2A-STREAM-005", "A2A-STREAM-009")
async def test_a_stream_is_the_task_its_chunks_in_order_and_its_end() -> None:
    steps = Steps("a", "b", "c")
    world = world_of(steps)
    events = stream(world)
    await steps.go(4)
    assert await events.end() == ["task submitted", "=a", "+b", "+c", "completed"]
    assert [event.last_chunk for event in events.events if isinstance(event, ArtifactGrew)] == [False, False, True]
    assert not world.live.by_id


@requirement("A2A-STREAM-004")
async def test_the_stream_of_a_message_ends_when_the_task_waits() -> None:
    world = world_of(ask_then_echo)
    assert await stream(world, incoming("one")).end() == ["task submitted", "=one", "input_required"]


@requirement("A2A-SUB-001", "A2A-SUB-002", "A2A-SUB-004", "FAULT-07")
@pytest.mark.parametrize("after", range(5))
async def test_whoever_subscribes_late_has_the_whole_answer(after: int) -> None:
    steps = Steps("a", "b", "c", "d")
    world = world_of(steps)
    first = stream(world)
    await until(lambda: len(world.live.by_id) == 1)
    (task_id,) = world.live.by_id
    await steps.go(after)
    late = follow(world, task_id)
    await until(lambda: len(late.events) >= 1)
    await steps.go(5)
    await first.end()
    assert (await late.end())[0] == f"task submitted {'abcd'[:after]}".strip()
    assert whole(late.events) == whole(first.events) == "abcd"
    assert late.spoken[-1] == "completed"


@requirement("A2A-SUB-004", "FAULT-07", "FAULT-19", "A2A-STREAM-007")
async def test_whoever_lost_its_stream_comes_back_to_the_whole_answer() -> None:
    steps = Steps("a", "b", "c", "d")
    world = world_of(steps)
    lost = stream(world)
    await steps.go(2)
    await until(lambda: len(lost.events) == 3)
    (task_id,) = world.live.by_id
    await lost.stop()
    await steps.go(1)
    again = follow(world, task_id)
    await until(lambda: len(again.events) >= 1)
    await steps.go(3)
    await again.end()
    assert whole(again.events) == "abcd"
    assert not world.live.by_id


@requirement("A2A-STREAM-006", "A2A-STREAM-007")
async def test_all_streams_get_the_same_events_and_one_that_leaves_disturbs_none() -> None:
    steps = Steps("a", "b", "c")
    world = world_of(steps)
    first = stream(world)
    await until(lambda: len(first.events) == 1)
    (task_id,) = world.live.by_id
    others = [follow(world, task_id) for _ in range(5)]
    await until(lambda: all(len(other.events) == 1 for other in others))
    await steps.go(1)
    await others[0].stop()
    await first.stop()
    await steps.go(3)
    ends = [await other.end() for other in others[1:]]
    assert ends == [["task submitted", "=a", "+b", "+c", "completed"]] * 4
    assert (await shown(world, task_id)).task.state is TaskState.COMPLETED


@requirement("FAULT-06", "A2A-STREAM-007")
async def test_a_reader_who_stops_reading_holds_up_nobody_and_misses_nothing() -> None:
    steps = Steps(*"abcdefgh")
    world = world_of(steps)
    stalled = stream_message(world, incoming(), OWNER)
    seen = [await anext(stalled)]
    (task_id,) = world.live.by_id
    other = follow(world, task_id)
    await until(lambda: len(other.events) == 1)
    await steps.go(9)
    assert (await other.end())[-1] == "completed"
    assert (await shown(world, task_id)).task.state is TaskState.COMPLETED
    seen += [event async for event in stalled]
    assert whole(seen) == "abcdefgh"
    assert not world.live.by_id


@requirement("NODE-007", "FAULT-16")
async def test_a_slow_reader_gets_the_events_of_its_own_message_alone() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("zero"))).task
    slow = stream_message(world, incoming("one", task_id=task.id), OWNER)
    seen = [await anext(slow)]
    await until(lambda: len(world.skill.turns) == 2 and all(live.runner is None for live in world.live.by_id.values()))
    two = asyncio.create_task(answered(world, incoming("two", task_id=task.id)))
    await until(lambda: len(world.skill.turns) == 3)
    seen += [event async for event in slow]
    await two
    assert [event.artifact.id for event in seen if isinstance(event, ArtifactGrew)] == [
        f"answer to {world.skill.turns[1].message.id}"
    ]
    assert len([event for event in seen if isinstance(event, TaskShown)]) == 1
    assert not world.live.by_id


@requirement("NODE-007", "FAULT-16")
async def test_five_streams_at_once_on_one_task_are_five_answers() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("zero"))).task
    texts = ["one", "two", "three", "four", "five"]
    streams = [stream(world, incoming(text, task_id=task.id)) for text in texts]
    for text, events in zip(texts, streams, strict=True):
        spoken = await events.end()
        assert spoken[0].startswith("task working")
        assert spoken[1:] == [f"={text}", "input_required"]
    assert not world.live.by_id


@requirement("A2A-SUB-006")
async def test_a_subscription_to_a_waiting_task_goes_on_with_its_next_turns() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    events = follow(world, task.id)
    await until(lambda: len(events.events) == 1)
    await answered(world, incoming("two", task_id=task.id))
    await answered(world, incoming("end", task_id=task.id))
    assert await events.end() == [
        "task input_required one",
        "working",
        "=two",
        "input_required",
        "working",
        "=end",
        "completed",
    ]
    assert not world.live.by_id


@requirement("A2A-SUB-001", "A2A-GET-001", "FAULT-07")
async def test_a_task_that_goes_on_is_shown_with_what_was_answered_before() -> None:
    go = asyncio.Event()

    async def play(turn):
        yield Say((text_part(f"re {turn.message.text}"),), artifact_id=turn.message.id)
        if turn.message.text == "one":
            yield Ask((text_part("more?"),))
        else:
            await go.wait()

    world = world_of(play)
    task = (await answered(world, incoming("one"))).task
    early = follow(world, task.id)
    await until(lambda: len(early.events) == 1)
    sending = stream(world, incoming("two", task_id=task.id))
    await until(lambda: len(sending.events) == 2)
    late = follow(world, task.id)
    await until(lambda: len(late.events) == 1)
    now = await shown(world, task.id)
    assert told(now) == "re one|re two"
    assert said_in(now) == ["one", "more?", "two"]
    assert sending.spoken[0] == "task working re one"
    assert late.spoken == ["task working re one|re two"]
    go.set()
    await sending.end()
    assert (await late.end())[-1] == "completed"
    assert (await early.end())[-1] == "completed"


@requirement("A2A-SUB-004")
async def test_a_turn_that_begins_while_the_task_is_being_read_is_followed_once() -> None:
    reading, read_on = asyncio.Event(), asyncio.Event()

    class SlowToRead(HeldLedger):
        slow = False

        async def artifacts(self, task_id: str):
            found = await super().artifacts(task_id)
            if self.slow:
                self.slow = False
                reading.set()
                await read_on.wait()
                found = await super().artifacts(task_id)
            return found

    steps = Steps("a", "b")

    async def play(turn):
        if turn.message.text == "one":
            yield Ask((text_part("more?"),))
            return
        async for answer in steps(turn):
            yield answer

    ledger = SlowToRead()
    world = world_of(play, ledger)
    task = (await answered(world, incoming("one"))).task
    ledger.slow = True
    events = follow(world, task.id)
    await reading.wait()
    sending = stream(world, incoming("two", task_id=task.id))
    await steps.go(1)
    await until(lambda: len(sending.events) == 2)
    read_on.set()
    await until(lambda: len(events.events) >= 1)
    await steps.go(2)
    await events.end()
    assert whole(events.events) == "ab"


@requirement("A2A-SUB-003")
async def test_a_task_that_has_ended_is_not_followed() -> None:
    world = world_of()
    task = (await answered(world, incoming())).task
    assert await refusal(follow_task(world, task.id, OWNER)) == "unsupported_operation"
    assert not world.live.by_id


@requirement("A2A-SUB-005", "A2A-ERR-005", "FAULT-03")
@pytest.mark.parametrize("stranger", [ANN, ANONYMOUS], ids=lambda caller: caller.kind)
async def test_a_running_task_of_another_is_not_followed(stranger: Caller) -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    assert await refusal(follow_task(world, task.id, stranger)) == "task_not_found"
    assert await refusal(follow_task(world, "no such task", stranger)) == "task_not_found"
    assert not world.live.by_id


@requirement("A2A-SEND-015")
async def test_the_same_message_streamed_again_shows_its_task_as_it_stands() -> None:
    world = world_of()
    asked = incoming("hello")
    await stream(world, asked).end()
    again = stream(world, asked)
    assert (await again.end()) == ["task completed hello"]
    assert len(world.skill.turns) == 1


@requirement("A2A-SEND-015")
async def test_the_same_message_streamed_again_while_it_runs_is_the_same_stream() -> None:
    steps = Steps("a", "b")
    world = world_of(steps)
    asked = incoming("hello")
    first = stream(world, asked)
    await steps.go(1)
    again = stream(world, asked)
    await steps.go(2)
    assert (await again.end()) == (await first.end())
    assert len(world.skill.turns) == 1


@requirement("FAULT-32", "FAULT-14")
async def test_a_task_that_waits_keeps_nothing_running() -> None:
    world = world_of(ask_then_echo)
    await answered(world, incoming("one"))
    await until(lambda: len(asyncio.all_tasks()) == 1)
    assert not world.live.by_id


@requirement("A2A-SEND-017")
@pytest.mark.parametrize(
    "length, said",
    [(None, ["two", "and after two?", "three"]), (0, []), (1, ["three"]), (2, ["and after two?", "three"])],
)
async def test_a_stream_shows_as_much_of_the_history_as_asked_for(length: int | None, said: list[str]) -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    holding = follow(world, task.id)
    await until(lambda: len(holding.events) == 1)
    await answered(world, incoming("two", task_id=task.id))
    streamed = stream(world, incoming("three", task_id=task.id, history_length=length))
    await streamed.end()
    assert said_in(streamed.events[0].view) == said
    await holding.stop()
