"""Clients that stop in the middle: of reading a stream, of a head, of a body. Nobody waits for them for long."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from time import monotonic

import pytest
import pytest_asyncio

from csbond_tests.drills.form import FULL
from csbond_tests.drills.processes import eventually, new_home, serving
from csbond_tests.drills.wire import Gone, text_message
from csbond_tests.requirements import requirement

FOLLOWERS = 10
STALLED = 20 if FULL else 2
CHUNKS, CHUNK_BYTES = 150, 48 * 1024
"""More than the buffers between a node and a reader hold."""
WRITE_TIMEOUT_S = 3.0
IN_TIME_S = 30.0
"""Seconds in which every follower has the whole answer: some ten times what the machine needs for it."""
SETTINGS = f"""
[skill]
kind = "function"
function = "long_skill:answer"
path = "."
[limits]
stream_write_timeout_s = {WRITE_TIMEOUT_S}
header_timeout_s = 1.0
body_timeout_s = 1.0
[memory]
semantic = "off"
"""
LONG_SKILL = f'''
"""Answers at length, once it is told to begin."""

import asyncio

from csbond.protocol.messages.part import Part, PartKind

gate = asyncio.Event()


async def answer(text: str):
    if text == "Begin?":
        gate.set()
        yield "begun"
        return
    await gate.wait()
    for number in range({CHUNKS}):
        yield Part(PartKind.FILE, number.to_bytes(3, "big").ljust({CHUNK_BYTES}, b"."))
        await asyncio.sleep(0)
'''

pytestmark = [pytest.mark.alone, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def node(tmp_path_factory):
    home = new_home(tmp_path_factory.mktemp("slow") / "home", SETTINGS, {"long_skill": LONG_SKILL})
    async with serving(home) as serves:
        yield serves


@requirement("FAULT-06")
async def test_a_reader_who_stops_reading_is_cut_and_the_others_have_everything_in_time(node, record_figures):
    wire = await node.connect()
    started = {**text_message("m-1", "How long is it?"), "configuration": {"returnImmediately": True}}
    task_id = (await wire.call("SendMessage", started))["task"]["id"]
    before = node.figures()
    stalled = [await subscribed(node, task_id, receive_bytes=8192) for _ in range(STALLED)]
    for other, _ in stalled:
        other.stall()
    followers = [await subscribed(node, task_id) for _ in range(FOLLOWERS)]
    began = monotonic()
    async with asyncio.timeout(IN_TIME_S), asyncio.TaskGroup() as clients:
        following = [clients.create_task(chunks_of(events)) for _, events in followers]
        await wire.call("SendMessage", text_message("m-2", "Begin?"))
    took = monotonic() - began
    assert {tuple(each.result()) for each in following} == {tuple(range(CHUNKS))}
    for follower, _ in followers:
        follower.vanish()
    await eventually(
        lambda: node.figures().sockets <= before.sockets, "the stalled readers are cut", WRITE_TIMEOUT_S + 8
    )
    for other, events in stalled:
        other.read_on()
        with pytest.raises(Gone):
            await chunks_of(events)  # what was cut never looks like the end
    record_figures(f"{FOLLOWERS} followers had {CHUNKS * CHUNK_BYTES / 2**20:.1f} MB in {took:.1f} s")


async def subscribed(node, task_id, **options):
    """A connection and the events to come, after the task as it stands."""
    wire = await node.connect(**options)
    events = wire.follow("SubscribeToTask", {"id": task_id})
    assert "task" in await anext(events)
    return wire, events


async def chunks_of(events):
    """The numbers of the chunks until the stream ends."""
    return [
        int.from_bytes(b64decode(event["artifactUpdate"]["artifact"]["parts"][0]["raw"])[:3], "big")
        async for event in events
        if "artifactUpdate" in event
    ]


HEAD = b"POST / HTTP/1.1\r\nhost: node\r\ncontent-type: application/json\r\ncontent-length: 100\r\n"


@requirement("NODE-002")
async def test_who_stops_in_the_middle_of_a_request_is_told_and_hung_up_on(node):
    before = node.figures()
    begun = [b"", b"POS", HEAD, HEAD + b"\r\n", HEAD + b"\r\n" + b'{"jsonrpc": "2.0", '] * 10
    slow = [await node.connect(owner=False) for _ in begun]
    for wire, sent in zip(slow, begun, strict=True):
        await wire.say(sent)
    async with asyncio.timeout(IN_TIME_S):
        answers = await asyncio.gather(*(wire.rest() for wire in slow))
    assert [answer.partition(b"\r\n")[0] for answer in answers] == [b"HTTP/1.1 408 Request Timeout"] * len(begun)
    assert all(b"request_timeout" in answer.lower() for answer in answers)
    await eventually(lambda: node.figures().sockets <= before.sockets, "their connections are gone")


@requirement("NODE-002")
async def test_who_sends_a_byte_now_and_then_gains_no_time(node):
    wire = await node.connect(owner=False)
    await wire.say(HEAD + b"\r\n")
    began = monotonic()

    async def drip() -> None:
        for _ in range(100):
            await wire.say(b"{")
            await asyncio.sleep(0.2)

    dripping = asyncio.ensure_future(drip())
    answer = await asyncio.wait_for(wire.rest(), IN_TIME_S)
    dripping.cancel()
    await asyncio.gather(dripping, return_exceptions=True)
    assert answer.startswith(b"HTTP/1.1 408")
    assert monotonic() - began < 10
