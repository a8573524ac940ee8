"""Many at once, and what is left when they are gone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import Any

import pytest

from csbond.flows.turn import Say
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement
from csbond_tests.speakers import RpcSpeaker
from csbond_tests.stories import echo

_numbers = iter(range(1, 1_000_000))


def said(text: str = "hello", **facts: Any) -> dict[str, Any]:
    return {"messageId": f"m-{next(_numbers)}", "role": "ROLE_USER", "parts": [{"text": text}], **facts}


async def settled(node) -> None:
    """Wait until the node works on nothing."""
    async with asyncio.timeout(30):
        while node.world.live.by_id:
            await asyncio.to_thread(lambda: None)


@requirement("FAULT-05", "FAULT-14")
async def test_a_burst_of_calls_that_return_at_once_leaves_a_node_that_answers(node) -> None:
    node.play(echo)
    before = {task for task in asyncio.all_tasks() if "run_turn" in repr(task)}
    async with node.client(await node.somebody()) as http:
        speaker = RpcSpeaker(http)
        answers = await asyncio.gather(*(speaker.send(said(), returnImmediately=True) for _ in range(150)))
        assert len({answer["task"]["id"] for answer in answers}) == 150
        async with asyncio.timeout(5):
            assert (await http.get("/.well-known/agent-card.json")).status_code == 200
        await settled(node)
        listing = await speaker.list(status="TASK_STATE_COMPLETED", pageSize=1)
    assert listing["totalSize"] == 150
    assert {task for task in asyncio.all_tasks() if "run_turn" in repr(task)} == before


@requirement("FAULT-06", "FAULT-14", "A2A-STREAM-006")
async def test_many_streams_of_one_task_are_the_same_and_leave_nothing(node) -> None:
    go = asyncio.Event()

    async def slowly(turn):
        for number in range(20):
            yield Say((text_part(f"{number},"),), append=number > 0)
            if number == 10:
                await go.wait()

    node.play(slowly)
    async with node.client(await node.somebody()) as http:
        speaker = RpcSpeaker(http)
        task = (await speaker.send(said(), returnImmediately=True))["task"]
        live = node.world.live.by_id[task["id"]]
        streams = [asyncio.create_task(collected(speaker.subscribe(task["id"]))) for _ in range(50)]
        async with asyncio.timeout(20):
            while live.holders < 51:
                await asyncio.to_thread(lambda: None)
        go.set()
        ends = await asyncio.gather(*streams)
    assert {whole(events) for events in ends} == {"".join(f"{number}," for number in range(20))}
    await settled(node)


async def collected(events: Any) -> list[Any]:
    return [event async for event in events]


def whole(events: list[Any]) -> str:
    text = ""
    for event in events:
        for artifact in event.get("task", {}).get("artifacts", []):
            text += "".join(part["text"] for part in artifact["parts"])
        update = event.get("artifactUpdate")
        if update:
            text += "".join(part["text"] for part in update["artifact"]["parts"])
    return text


@requirement("NODE-007", "FAULT-16")
async def test_parallel_messages_to_one_task_get_each_their_own_answer(node, somebody) -> None:
    task = (await somebody.send(said("zero")))["task"]
    texts = ["one", "two", "three", "four", "five"]
    answers = await asyncio.gather(*(somebody.send(said(text, taskId=task["id"])) for text in texts))
    for text, answer in zip(texts, answers, strict=True):
        found = answer["task"]
        assert (found["id"], found["contextId"]) == (task["id"], task["contextId"])
        assert found["status"]["message"]["parts"] == [{"text": f"and after {text}?"}]
        assert text in [message["parts"][0]["text"] for message in found["history"]]
        assert text in [part["text"] for artifact in found["artifacts"] for part in artifact["parts"]]


@requirement("NODE-007", "FAULT-16")
async def test_parallel_streams_to_one_task_are_each_their_own_answer(node, somebody) -> None:
    task = (await somebody.send(said("zero")))["task"]
    texts = ["one", "two", "three"]
    streams = await asyncio.gather(*(collected(somebody.stream(said(text, taskId=task["id"]))) for text in texts))
    for text, events in zip(texts, streams, strict=True):
        chunks = [event["artifactUpdate"] for event in events if "artifactUpdate" in event]
        assert [chunk["artifact"]["parts"] for chunk in chunks] == [[{"text": text}]]
        status = events[-1]["statusUpdate"]["status"]
        assert status["message"]["parts"] == [{"text": f"and after {text}?"}]


@requirement("FAULT-36")
@pytest.mark.parametrize("stated, enabled", [(None, "false"), ("true", "true")])
def test_tracing_of_the_library_is_off_unless_it_is_asked_for(stated: str | None, enabled: str) -> None:
    code = "import csbond.transport, os; print(os.environ['OTEL_INSTRUMENTATION_A2A_SDK_ENABLED'])"
    variable = "OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"
    environment = {name: value for name, value in os.environ.items() if name != variable}
    if stated:
        environment[variable] = stated
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == enabled
