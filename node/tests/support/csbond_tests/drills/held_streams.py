"""Streams that stay open until they are let go, clients that follow them, and clients that vanish."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from csbond_tests.drills.processes import NodeProcess
from csbond_tests.drills.wire import Wire, text_message

__all__ = ["HELD_SKILL", "Inside", "follow_to_the_end", "inside", "let_go", "open_streams", "vanish_at_once"]

HELD_SKILL = '''
"""Streams a word every while, and ends all its streams when it is told to let go."""

import asyncio
import ctypes
import gc
import json
from contextlib import suppress

from csbond.flows.live_tasks import LiveTask

TICK_S = 1.0
gate = asyncio.Event()


async def answer(text: str):
    global gate
    if text == "Let go?":
        gate.set()
        gate = asyncio.Event()
        yield "gone"
    elif text == "How many?":
        gc.collect()
        getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)(0)
        live = sum(isinstance(each, LiveTask) for each in gc.get_objects())
        yield json.dumps({"tasks": len(asyncio.all_tasks()), "live": live})
    else:
        mine = gate
        yield "begun"
        while not mine.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(mine.wait(), TICK_S)
            yield " on"
        yield " end"
'''
"""What it is told are questions: they leave no memories, whose vectors would be the growth that is measured.

Before it counts it gives back what nobody holds: memory the allocator keeps for later is noise in what is measured.
"""


@dataclass(frozen=True, slots=True)
class Inside:
    """What the process counts in itself."""

    tasks: int
    """Of the event loop, the one that counts among them."""
    live: int
    """Tasks of A2A that are held alive."""


async def open_streams(node: NodeProcess, count: int, name: str) -> list[tuple[Wire, Any]]:
    """So many streams, each of which has begun: its connection, and the events to come."""

    async def opened(number: int) -> tuple[Wire, Any]:
        wire = await node.connect(owner=False)
        message = text_message(f"{name}-{number}", f"Is the lamp {name}-{number} on?")
        events = wire.follow("SendStreamingMessage", message)
        assert "task" in await anext(events)
        return wire, events

    return list(await asyncio.gather(*(opened(number) for number in range(count))))


async def follow_to_the_end(stream: tuple[Wire, Any]) -> str:
    """What a stream says until it ends; the state it ended in is asserted."""
    wire, events = stream
    said, state = "", ""
    async for event in events:
        if "artifactUpdate" in event:
            said += "".join(part["text"] for part in event["artifactUpdate"]["artifact"]["parts"])
        elif "statusUpdate" in event:
            state = event["statusUpdate"]["status"]["state"]
    wire.vanish()
    assert state == "TASK_STATE_COMPLETED"
    return said


async def vanish_at_once(node: NodeProcess, count: int, name: str) -> None:
    """So many clients that ask for a stream and are gone before its first byte."""
    for number in range(count):
        wire = await node.connect(owner=False)
        asking = asyncio.ensure_future(anext(wire.follow("SendStreamingMessage", _hasty(f"{name}-{number}"))))
        await asyncio.sleep(0)  # the request is written, and nothing is read
        wire.vanish(reset=number % 2 == 0)
        await asyncio.gather(asking, return_exceptions=True)


async def let_go(wire: Wire) -> None:
    """End all streams that are held."""
    await wire.call("SendMessage", text_message(str(uuid4()), "Let go?"))


async def inside(wire: Wire) -> Inside:
    """What the process counts in itself, after it has cleared what nobody holds."""
    task = (await wire.call("SendMessage", text_message(str(uuid4()), "How many?")))["task"]
    return Inside(**json.loads(task["artifacts"][0]["parts"][0]["text"]))


def _hasty(name: str) -> dict[str, Any]:
    return text_message(name, f"Is the lamp {name} on?")
