from __future__ import annotations

import asyncio

import pytest

from csbond.flows.show_task import show_task
from csbond.flows.turn import Ask, Say
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, incoming, said_in, told, until, world_of

ANN = Caller(CallerKind.PRINCIPAL, "ann")


@requirement("A2A-GET-001", "A2A-SEND-017")
@pytest.mark.parametrize(
    "length, said",
    [
        (None, ["one", "and after one?", "end", "ended"]),
        (0, []),
        (1, ["ended"]),
        (3, ["and after one?", "end", "ended"]),
        (99, ["one", "and after one?", "end", "ended"]),
    ],
)
async def test_a_task_is_shown_with_as_much_of_its_history_as_asked_for(length: int | None, said: list[str]) -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    view = await answered(world, incoming("end", task_id=task.id, history_length=length))
    assert said_in(view) == said
    assert said_in(await show_task(world, task.id, OWNER, length)) == said
    assert told(await show_task(world, task.id, OWNER, length)) == "one|end"


@requirement("A2A-GET-001", "A2A-SEND-017")
@pytest.mark.parametrize(
    "length, said", [(None, ["one", "more?", "two"]), (0, []), (1, ["two"]), (2, ["more?", "two"])]
)
async def test_the_history_of_a_running_task_is_as_complete(length: int | None, said: list[str]) -> None:
    go = asyncio.Event()

    async def play(turn):
        if turn.message.text == "one":
            yield Ask((text_part("more?"),))
            return
        yield Say((text_part("so far"),))
        await go.wait()

    world = world_of(play)
    task = (await answered(world, incoming("one"))).task
    pending = asyncio.create_task(answered(world, incoming("two", task_id=task.id)))
    await until(lambda: len(world.skill.turns) == 2 and len(world.live.by_id[task.id].events) == 2)
    view = await show_task(world, task.id, OWNER, length)
    assert (said_in(view), told(view), view.task.state.value) == (said, "so far", "working")
    go.set()
    await pending


@requirement("A2A-GET-002", "A2A-ERR-005", "FAULT-03")
@pytest.mark.parametrize("stranger", [ANN, ANONYMOUS], ids=lambda caller: caller.kind)
async def test_a_task_of_another_is_not_there(stranger: Caller) -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    faults = []
    for task_id in (task.id, "no such task"):
        with pytest.raises(CsbError) as refused:
            await show_task(world, task_id, stranger)
        faults.append((refused.value.code.name, refused.value.reason))
    assert faults[0] == faults[1]
    assert faults[0][0] == "task_not_found"
