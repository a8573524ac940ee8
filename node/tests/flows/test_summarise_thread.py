"""Threads are summarised by a model behind an endpoint where the owner chose one, and by extract whenever it fails."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager

import pytest

from csbond.engines.endpoint import EndpointAddress
from csbond.engines.endpoint_summariser import EndpointSummariser
from csbond.flows.summarise_thread import summarise_thread
from csbond.protocol.continuity.window import Window
from csbond.testing import InMemoryLedger
from csbond_tests.conversations import conversation
from csbond_tests.fake_endpoint import Scripted, fake_endpoint
from csbond_tests.requirements import requirement
from csbond_tests.small_world import small_world
from csbond_tests.stories import answered, incoming, world_of

DECISION = "We decided to meet on Friday in the old library."
TALK = (
    "The old ledger loses rows when the power fails, and I looked at it all weekend long.",
    f"{DECISION} The weather was fine, by the way, and the river was warm enough to swim.",
    "A ledger that loses rows cannot be trusted with anything at all, whatever it costs.",
)
TEXT = f"A ledger loses rows. {DECISION}"
WINDOW = Window(conversation(*(("Alice", text) for text in TALK)), ())


def says(text):
    return Scripted([json.dumps({"choices": [{"message": {"content": text}}]})])


@asynccontextmanager
async def summarising(answer, make, **changes):
    async with fake_endpoint(answer) as endpoint:
        summariser = EndpointSummariser(EndpointAddress(endpoint.url), "small")
        yield make(summariser=summariser, **changes), endpoint
        await summariser.close()


async def told_of(world):
    """The summary of the talk."""
    summary = await summarise_thread(world, WINDOW)
    assert summary is not None
    return summary


def bare_world(**changes):
    return small_world(InMemoryLedger(), **changes)


@requirement("MEM-003-interop-summary")
async def test_a_good_text_of_the_model_is_told():
    async with summarising(says(TEXT), bare_world) as (world, _):
        told = await told_of(world)
    assert (told["summary"], told["by_model"], told["key_decisions"]) == (TEXT, True, [DECISION])


@requirement("MEM-003-interop-summary")
@pytest.mark.parametrize(
    "answer", [says("A ledger loses rows."), says(f"{TEXT} {TALK[0]} {TALK[2]}" * 2), Scripted(status=503)]
)
async def test_a_bad_text_and_none_give_way_to_the_extract(answer):
    async with summarising(answer, bare_world) as (world, _):
        told = await told_of(world)
    assert told == await told_of(bare_world())
    assert "by_model" not in told
    assert told["key_decisions"] == [DECISION]


async def test_where_there_is_nothing_to_tell_nobody_is_asked():
    async with summarising(says(TEXT), bare_world) as (world, endpoint):
        assert await summarise_thread(world, Window((), WINDOW.beyond)) is None
    assert endpoint.calls == []


@requirement("MEM-003-interop-summary")
async def test_a_skill_is_given_the_text_of_the_model():
    async with summarising(says(TEXT), world_of, window=0, summarises=True) as (world, _):
        for text in (*TALK, "And now?"):
            await answered(world, incoming(text, context_id="mine"))
        turn = world.skill.turns[-1]
    assert (turn.summary["summary"], turn.summary["by_model"]) == (TEXT, True)
