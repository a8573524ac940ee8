"""A message that comes twice, on streams: each repeat hears what became of the message itself."""

from __future__ import annotations

import asyncio

from csbond.flows.follow_task import follow_task, stream_message
from csbond.flows.turn import Ask, Reply
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, following, incoming, until, world_of


def stream(world, asked) -> following:
    return following(stream_message(world, asked, OWNER))


@requirement("A2A-SEND-015", "A2A-STREAM-001")
async def test_a_repeat_on_a_stream_is_answered_with_the_events_of_its_own_turn() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    holding = following(follow_task(world, task.id, OWNER))
    await until(lambda: len(holding.events) == 1)
    two, three = (incoming(text, task_id=task.id) for text in ("two", "three"))
    for asked in (two, three):
        first = await stream(world, asked).end()
        assert first[1:] == [f"={asked.message.text}", "input_required"]
        assert await stream(world, asked).end() == first
    assert (await stream(world, two).end())[1:] == ["=two", "input_required"]
    assert len(world.skill.turns) == 3
    await holding.stop()


@requirement("A2A-SEND-015")
async def test_a_repeat_whose_events_are_gone_is_shown_the_task_although_another_turn_runs() -> None:
    go = asyncio.Event()

    async def play(turn):
        if turn.message.text == "two":
            await go.wait()
        yield Ask((text_part("more?"),))

    world = world_of(play)
    one = incoming("one")
    task = (await answered(world, one)).task
    assert await stream(world, one).end() == ["task input_required"]
    running = stream(world, incoming("two", task_id=task.id))
    await until(lambda: len(running.events) == 1)
    assert await stream(world, one).end() == ["task working"]
    go.set()
    assert await running.end() == ["task working", "input_required"]
    assert not world.live.by_id


@requirement("A2A-SEND-015", "A2A-STREAM-002")
async def test_every_repeat_of_a_message_that_was_answered_barely_hears_the_same_message() -> None:
    go = asyncio.Event()

    async def play(turn):
        await go.wait()
        yield Reply((text_part("hey"),))

    world = world_of(play, may_reply=True)
    asked = incoming("hello")
    first = stream(world, asked)
    await until(lambda: len(world.skill.turns) == 1)
    during = [stream(world, asked) for _ in range(5)]
    await until(lambda: next(iter(world.live.by_id.values())).holders == 7)
    go.set()
    after = [stream(world, asked) for _ in range(5)]
    assert await first.end() == ["message hey"]
    for repeat in during + after:
        assert await repeat.end() == ["message hey"]
        assert repeat.events[0].message.id == first.events[0].message.id
    again = await asyncio.gather(*(stream(world, asked).end() for _ in range(5)), answered(world, asked))
    assert again == [["message hey"]] * 5 + [first.events[0].message]
    assert len(world.skill.turns) == 1
    assert not world.live.by_id
