"""This node as a client: what it makes of other agents' answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from csbond.flows.turn import Ask, Fail, Reply, Say
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, part_from_json, text_part
from csbond.transport.peers import A2aPeers
from csbond_tests.canonical import PARTS
from csbond_tests.played_node import played
from csbond_tests.served_node import free_port
from csbond_tests.stories import echo

_numbers = iter(range(1, 1_000_000))


@pytest_asyncio.fixture(loop_scope="module")
async def peers() -> AsyncIterator[A2aPeers]:
    made = A2aPeers()
    yield made
    await made.close()


def hello(*parts: Part) -> Message:
    return Message(f"m-{next(_numbers)}", "user", parts or (text_part("hello"),))


async def refusal(answer: Any) -> CsbError:
    with pytest.raises(CsbError) as refused:
        await answer
    return refused.value


async def test_the_answer_of_a_task_is_what_its_artifacts_say(node, peers) -> None:
    async def play(turn):
        yield Say((text_part("it goes "),))
        yield Say((text_part("on"),), append=True)
        yield Say((Part(PartKind.DATA, {"n": 1}),), artifact_id="more", metadata={"k": "v"})

    node.play(play)
    name, answer = await peers.send(node.url, hello())
    assert name == "Luna"
    assert answer.role == "agent"
    assert answer.parts == (text_part("it goes on"), Part(PartKind.DATA, {"n": 1}))
    assert answer.context_id
    assert answer.task_id
    assert answer.metadata == {"k": "v"}


async def test_parts_of_all_kinds_come_back_from_another_node(node, peers) -> None:
    node.play(echo)
    parts = tuple(part_from_json(part) for name, part in PARTS.items() if name != "data that is nothing")
    _, answer = await peers.send(node.url, hello(*parts))
    assert answer.parts == parts


async def test_a_bare_message_is_the_answer_itself(node, peers) -> None:
    async def reply(turn):
        yield Reply((text_part("hey"),))

    node.play(reply, may_reply=True)
    _, answer = await peers.send(node.url, hello())
    assert (answer.text, answer.role) == ("hey", "agent")


@pytest.mark.parametrize("end", [Ask((text_part("which one?"),)), Fail("which one?")])
async def test_a_task_without_artifacts_answers_by_its_status(node, peers, end: Any) -> None:
    async def play(turn):
        yield end

    node.play(play)
    _, answer = await peers.send(node.url, hello())
    assert answer.text == "which one?"


async def test_a_task_that_says_nothing_at_all_is_no_answer(node, peers) -> None:
    async def silent(turn):
        if turn.message.text == "never":
            yield Say(turn.message.parts)

    node.play(silent)
    assert (await refusal(peers.send(node.url, hello()))).code.name == "peer_broke_protocol"


async def test_nobody_at_the_address_is_unreachable(peers) -> None:
    fault = await refusal(peers.send(f"http://127.0.0.1:{free_port()}", hello()))
    assert fault.code.name == "peer_unreachable"


@pytest.mark.parametrize("card", [{}, {"name": "Bo"}, [], "card"])
async def test_an_agent_without_a_whole_card_broke_the_protocol(peers, card: Any) -> None:
    with played() as other:
        other.answer("GET /.well-known/agent-card.json", card)
        fault = await refusal(peers.send(other.url, hello()))
    assert fault.code.name == "peer_broke_protocol"


async def test_a_refusal_of_the_other_agent_is_passed_on_as_its_fault(node, peers) -> None:
    message = Message(f"m-{next(_numbers)}", "user", (text_part("hello"),), task_id="no-such-task")
    fault = await refusal(peers.send(node.url, message))
    assert fault.code.name == "peer_broke_protocol"
    assert "task not found" in fault.reason.lower()
