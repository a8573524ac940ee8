from __future__ import annotations

import asyncio
import json

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.memory_changes import PutEntry
from csbond.flows.send_message import send_message
from csbond.flows.turn import Say
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.extensions import CONTEXT_SUMMARY, SESSION_CONTEXT
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.skills.model import ModelSettings, ModelSkill
from csbond.skills.settings import settings_from
from csbond_tests.fake_endpoint import Scripted, fake_endpoint, sse
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, small_world
from csbond_tests.stories import HeldLedger, answered, incoming, until, world_of

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
VIEWER = Caller(CallerKind.PRINCIPAL, "vic", Role.VIEWER, frozenset({"home"}))
TEXT = "My cat is called Miso."


def said(text=TEXT, thread="th-1", **facts):
    return incoming(text, context_id=thread, **facts)


async def count(world):
    return (await world.ledger.counts())["entries"]


def ends(world):
    """What the records of the turns say of memories."""
    bodies = [record.body for record in world.ledger.records]
    return [body["details"] for body in bodies if "memories" in body["details"]]


@requirement("MEM-005-report-04-twice-the-same")
async def test_what_is_said_twice_in_a_thread_is_one_memory_and_the_record_says_so():
    world = world_of()
    await answered(world, said())
    await answered(world, said())
    first, second = ends(world)
    (entry_id,) = first["memories"]
    assert "merged" not in first
    assert (second["memories"], second["merged"]) == ([], [entry_id])
    assert await count(world) == 1
    assert (await world.ledger.entry(entry_id)).version == 1
    assert not any(isinstance(write, PutEntry) for write in world.ledger.changes[-1].writes)


@pytest.mark.parametrize("text, thread", [(TEXT, "th-2"), ("My cat is called Miso!", "th-1")])
async def test_what_is_said_elsewhere_or_otherwise_is_a_memory_of_its_own(text, thread):
    world = world_of()
    await answered(world, said())
    await answered(world, said(text, thread))
    assert await count(world) == 2


async def test_what_was_deleted_since_is_remembered_anew():
    world = world_of()
    await answered(world, said())
    await delete_memory(world, ends(world)[0]["memories"][0], OWNER, INTENT)
    await answered(world, said())
    assert len(ends(world)[-1]["memories"]) == 1
    assert await count(world) == 1


async def test_a_text_in_pieces_is_kept_each_time():
    world = world_of()
    long = "A sentence that goes on and on. " * 100
    await answered(world, said(long))
    await answered(world, said(long))
    assert [len(end["memories"]) for end in ends(world)] == [2, 2]


async def test_where_duplicates_are_kept_a_conversation_keeps_them_too():
    world = world_of(merges=False)
    await answered(world, said())
    await answered(world, said())
    assert await count(world) == 2


async def test_turns_that_end_at_the_same_time_leave_one_memory_of_one_sentence():
    go = asyncio.Event()

    async def script(turn):
        await go.wait()
        yield Say((text_part("hi"),))

    world = world_of(script)
    turns = [asyncio.create_task(answered(world, said())) for _ in range(4)]
    await until(lambda: len(world.skill.turns) == 4)
    world.ledger.hold()
    go.set()
    await until(lambda: world.ledger.waiting > 0)
    for _ in range(50):
        await asyncio.sleep(0)
    world.ledger.let_go()
    await asyncio.gather(*turns)
    assert await count(world) == 1
    assert sorted(len(end["memories"]) for end in ends(world)) == [0, 0, 0, 1]


class Bo:
    """An agent that always says the same."""

    async def send(self, url, message):
        return "Bo", Message(f"a-{message.id}", "agent", (text_part("My boat is called Tern."),), "session")


async def test_what_another_agent_says_twice_is_one_memory():
    world = world_of(peers=Bo())
    for _ in range(2):
        await send_message(world, "https://bo.example", "What is your boat called?", "th-1", OWNER)
    told = [end for end in ends(world) if end["memories"] or "merged" in end]
    assert told[1]["merged"] == told[0]["memories"]
    assert await count(world) == 1


@requirement("MEM-005-report-prompt")
async def test_what_a_model_is_told_beside_the_message_becomes_no_memory(tmp_path):
    async with fake_endpoint(Scripted(sse("Miso it is."), media_type="text/event-stream")) as endpoint:
        table = {"url": f"{endpoint.url}/v1", "model": "small", "system_prompt": "You are the keeper of the cat."}
        skill = ModelSkill(settings_from(ModelSettings, table, "model"), tmp_path)
        world = small_world(HeldLedger(), skill=skill)
        recalled = await remember(world, "The cat sleeps in the blue basket.")
        summary = {"summary": "They spoke of a cat that hunts at night."}
        await answered(world, said("The cat is called Miso.", message_metadata={CONTEXT_SUMMARY: summary}))
        await skill.close()
        told = json.dumps(endpoint.calls[0].json)
    assert "keeper of the cat" in told
    assert "blue basket" in told
    page = await world.ledger.entries_by_id([recalled.id, *ends(world)[0]["memories"]])
    assert [entry.content for entry in page.values()] == [recalled.content, "The cat is called Miso."]
    assert await count(world) == 2


@requirement("MEM-005-report-prompt")
async def test_what_a_skill_recalls_and_says_again_becomes_no_memory():
    async def script(turn):
        for found in await turn.recall("basket", 5):
            yield Say((text_part(found.entry.content),), append=True)

    world = world_of(script)
    await remember(world, "The cat sleeps in the blue basket.")
    await answered(world, said("Where does the cat sleep?"))
    await answered(world, said("The basket is blue."))
    assert await count(world) == 2


@requirement("MEM-001-1.1-hot-cap")
@pytest.mark.parametrize("caller, level", [(OWNER, "hot"), (EDITOR, "hot"), (VIEWER, "warm"), (ANONYMOUS, "warm")])
async def test_what_those_who_may_not_write_say_of_great_importance_begins_warm(caller, level):
    world = world_of()
    await answered(world, said(message_metadata={SESSION_CONTEXT: {"importance": 1.0}}), caller)
    (body,) = ends(world)
    assert (await world.ledger.entry(body["memories"][0])).level == level
