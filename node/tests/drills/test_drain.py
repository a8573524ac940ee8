"""SIGTERM under load: what was accepted ends, or is told why not; what is new is refused; the process ends in time."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from itertools import count
from time import monotonic

import pytest

from csbond.flows.reconcile_tasks import INTERRUPTED
from csbond_tests.drills.form import FULL
from csbond_tests.drills.ledger_rules import faults_in, unfinished_in
from csbond_tests.drills.processes import eventually, new_home, serving
from csbond_tests.drills.wire import Gone, Refusal, text_message
from csbond_tests.requirements import requirement

MANY = 50 if FULL else 10
DRAIN_S = 3.0
LATER_S = 12.0
"""Seconds beyond `limits.drain_s` in which the process is gone: to write the ends, and to let go of everything."""
SETTINGS = """
[skill]
kind = "function"
function = "busy_skill:answer"
path = "."
[limits]
drain_s = DRAIN
[memory]
semantic = "off"
[log]
level = "error"
"""
BUSY_SKILL = '''
"""Works until it may stop, works for ever, or asks for more, as it is told."""

import asyncio
from pathlib import Path

from csbond.flows.turn import Ask
from csbond.protocol.messages.part import text_part


async def answer(text: str):
    if text.startswith("Ask"):
        yield Ask((text_part("And then?"),))
        return
    yield "begun"
    while text.startswith("Work"):
        await asyncio.sleep(0.1)
        yield " on"
    while text.startswith("Wait") and not Path(__file__).with_name("go").exists():
        await asyncio.sleep(0.02)
    yield " done"
'''
STUBBORN_SKILL = '''
"""Works in a thread, which nobody can stop."""

import time


def answer(text: str) -> str:
    time.sleep(60)
    return "done"
'''

pytestmark = pytest.mark.alone


@requirement("NODE-003", "FAULT-18")
async def test_on_sigterm_under_load_everything_accepted_has_an_end_and_new_work_is_refused(tmp_path, record_figures):
    home = new_home(tmp_path / "home", SETTINGS.replace("DRAIN", str(DRAIN_S)), {"busy_skill": BUSY_SKILL})
    async with serving(home) as node:
        waiting = [await follower_of_a_waiting_task(node, number) for number in range(MANY)]
        async with asyncio.TaskGroup() as clients:
            streams = {
                word: [await begun(node, f"{word} {number}") for number in range(MANY)] for word in ("Wait", "Work")
            }
            ends = {
                word: [clients.create_task(end_of(events)) for events in begun_ones]
                for word, begun_ones in streams.items()
            }
            calls = [clients.create_task(answer_to(node, f"Wait for {number}")) for number in range(MANY)]
            lost = [clients.create_task(end_of(events)) for events in waiting]
            await eventually(lambda: works_on(node, 3 * MANY), "all messages are taken")
            refused = asyncio.Event()
            talks = [clients.create_task(talk(node, number, refused)) for number in range(4)]
            began = monotonic()
            node.signal(signal.SIGTERM)
            await asyncio.wait_for(refused.wait(), DRAIN_S)
            (home.path / "go").touch()
            assert await node.ended(DRAIN_S + LATER_S) == 0
            took = monotonic() - began
    assert {each.result() for each in (*ends["Wait"], *calls)} == {("TASK_STATE_COMPLETED", "")}
    assert {each.result() for each in ends["Work"]} == {("TASK_STATE_FAILED", INTERRUPTED)}
    assert {each.result() for each in lost} == {("error", "draining")}
    talked: Counter[str] = sum((each.result() for each in talks), Counter())
    assert talked["503 draining"], "nobody was refused"
    assert set(talked) <= {"done", "503 draining"}
    assert unfinished_in(home.path / "csb.db") == []
    assert faults_in(home.path / "csb.db", home.identity.did) == []
    assert "Traceback" not in node.said()
    record_figures(f"ended {took:.1f} s after SIGTERM (drain_s {DRAIN_S:g}); meanwhile {dict(talked)}")


@requirement("NODE-003")
async def test_a_node_ends_as_soon_as_its_work_has(tmp_path):
    home = new_home(tmp_path / "home", SETTINGS.replace("DRAIN", "120.0"), {"busy_skill": BUSY_SKILL})
    async with serving(home) as node:
        ends = [asyncio.ensure_future(end_of(await begun(node, f"Wait {number}"))) for number in range(MANY)]
        node.signal(signal.SIGTERM)
        (home.path / "go").touch()
        assert await node.ended(20) == 0
        assert set(await asyncio.gather(*ends)) == {("TASK_STATE_COMPLETED", "")}


@requirement("NODE-003")
async def test_a_skill_that_cannot_be_stopped_does_not_hold_up_the_end(tmp_path):
    home = new_home(tmp_path / "home", SETTINGS.replace("DRAIN", "0.5"), {"busy_skill": STUBBORN_SKILL})
    async with serving(home) as node:
        ends = [asyncio.ensure_future(end_of(await begun(node, f"Dig {number}"))) for number in range(MANY)]
        node.signal(signal.SIGTERM)
        assert await node.ended(0.5 + LATER_S) == 0
        assert set(await asyncio.gather(*ends)) == {("TASK_STATE_FAILED", INTERRUPTED)}


async def begun(node, text):
    """The events of a stream after its first."""
    wire = await node.connect(owner=False)
    events = wire.follow("SendStreamingMessage", text_message(text, f"{text}."))
    assert "task" in await anext(events)
    return events


async def follower_of_a_waiting_task(node, number):
    """The events of a task that waits for its caller, after the first."""
    wire = await node.connect(owner=False)
    task = (await wire.call("SendMessage", text_message(f"ask-{number}", "Ask for more.")))["task"]
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    events = wire.follow("SubscribeToTask", {"id": task["id"]})
    assert "task" in await anext(events)
    return events


async def end_of(events):
    """The last state that a stream tells, and what it says of it; or its error."""
    told = ("silence", "")
    try:
        async for event in events:
            if "statusUpdate" in event:
                told = how_it_stands(event["statusUpdate"])
    except Refusal as refusal:
        return "error", code_of(refusal)
    return told


async def answer_to(node, text):
    """How a task stands that is waited for."""
    wire = await node.connect(owner=False)
    return how_it_stands((await wire.call("SendMessage", text_message(text, f"{text}.")))["task"])


async def works_on(node, count):
    """Whether the node works on so many messages."""
    wire = await node.connect()
    running = (await wire.good("GET", "/v1/status"))["running_tasks"]
    wire.vanish()
    return running == count


async def talk(node, number, refused):
    """How often messages were answered, and why not, until the node is gone."""
    heard: Counter[str] = Counter()
    wire = await node.connect(owner=False)
    try:
        for place in count():
            try:
                await wire.call("SendMessage", text_message(f"talk-{number}-{place}", "It is on."))
                heard["done"] += 1
            except Refusal as refusal:
                heard[f"{refusal.status} {code_of(refusal)}"] += 1
                refused.set()
    except Gone:
        return heard


def how_it_stands(task):
    """The state of a task and the text of its status."""
    message = task["status"].get("message", {"parts": []})
    return task["status"]["state"], "".join(part["text"] for part in message["parts"])


def code_of(refusal):
    """The code of an error, as the node names it."""
    return refusal.body["error"]["data"][0]["metadata"]["csb_code"]
