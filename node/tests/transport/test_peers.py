"""This node as a client: what it makes of other agents' answers."""

from __future__ import annotations

import asyncio
import gzip
import json
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
from csbond_tests.played_node import Asked, Played, played
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


CARD: dict[str, Any] = {
    "name": "Bo\x1b[2J",
    "description": "Keeps bees.",
    "version": "1",
    "supportedInterfaces": [{"protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    "capabilities": {},
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [],
}


def spoken(part: str, more: str = "") -> str:
    """A result whose message has a part as it is written."""
    return '{"message": {"messageId": "x", "role": "ROLE_AGENT", ' + more + '"parts": [' + part + "]}}"


RESULTS = {
    "nothing": "null",
    "a list": "[]",
    "a text": '"hey"',
    "an empty object": "{}",
    "no parts": spoken(""),
    "a part without content": spoken("{}"),
    "no number": spoken('{"data": {"a": NaN}}'),
    "half a character": spoken('{"text": "\\ud800"}'),
    "half a character in data": spoken('{"data": {"a": "\\ud800"}}'),
    "sixty lists": spoken('{"data": ' + "[" * 60 + "1" + "]" * 60 + "}"),
    "many lists": "[" * 100_000,
    "no role": '{"message": {"messageId": "x", "parts": [{"text": "hey"}]}}',
    "another role": '{"message": {"messageId": "x", "role": "ROLE_BEE", "parts": [{"text": "hey"}]}}',
    "a session without end": spoken('{"text": "hey"}', '"contextId": "' + "c" * 300 + '", '),
    "a task without a state": '{"task": {"id": "t", "contextId": "c"}}',
    "an artifact of nothing": (
        '{"task": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [{"artifactId": "a"}]}}'
    ),
}


def answering(other: Played, result: str, name: str = "result") -> None:
    """Let the other agent have a card, and answer every message with a result as it is written."""
    interface = CARD["supportedInterfaces"][0] | {"url": f"{other.url}/rpc"}
    other.answer("GET /.well-known/agent-card.json", CARD | {"supportedInterfaces": [interface]})

    def answer(asked: Asked) -> bytes:
        return b'{"jsonrpc": "2.0", "id": %s, "%s": %s}' % (
            json.dumps(asked.body["id"]).encode(),
            name.encode(),
            result.encode(),
        )

    other.answer("POST /rpc SendMessage", answer)


@pytest.mark.parametrize("what", RESULTS)
async def test_an_answer_that_is_none_broke_the_protocol(peers, what: str) -> None:
    with played() as other:
        answering(other, RESULTS[what])
        fault = await refusal(peers.send(other.url, hello()))
    assert fault.code.name == "peer_broke_protocol"
    assert "NoneType" not in fault.reason


async def test_it_is_said_what_an_answer_lacks(peers) -> None:
    with played() as other:
        answering(other, spoken(""))
        fault = await refusal(peers.send(other.url, hello()))
    assert fault.reason.endswith("its answer lacks 'parts'")


async def test_the_name_on_a_card_moves_no_cursor(peers) -> None:
    with played() as other:
        answering(other, spoken('{"text": "hey"}'))
        name, answer = await peers.send(other.url, hello())
    assert (name, answer.text) == ("Bo [2J", "hey")


async def test_of_a_foreign_error_only_the_beginning_is_shown(peers) -> None:
    with played() as other:
        answering(other, json.dumps({"code": -1, "message": "no\x1b[2J \ud800" + "x" * 200_000}), "error")
        fault = await refusal(peers.send(other.url, hello()))
    assert fault.code.name == "peer_broke_protocol"
    assert "no [2J  xxx" in fault.reason
    assert fault.reason.isprintable()
    assert len(fault.reason) < 400


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "file:///etc/passwd",
        "javascript:1",
        "http://a\x00b/",
        "http://\ud800/",
        "http://u:p@bo.example",
        "http://xn--/",
        f"http://{'a' * 64}.example/",
    ],
)
async def test_an_address_that_is_none_is_the_fault_of_who_gave_it(peers, url: str) -> None:
    fault = await refusal(peers.send(url, hello()))
    assert (fault.code.name, fault.field) == ("invalid_params", "url")


@pytest.mark.parametrize("beginning", ["ftp://", "file://", "http://bo:geheim@", "//", ""])
async def test_an_interface_at_no_web_address_is_never_called(peers, beginning: str) -> None:
    with played() as other:
        interface = CARD["supportedInterfaces"][0] | {"url": f"{beginning}{other.url.removeprefix('http://')}/rpc"}
        other.answer("GET /.well-known/agent-card.json", CARD | {"supportedInterfaces": [interface]})
        fault = await refusal(peers.send(other.url, hello()))
        assert fault.code.name == "peer_broke_protocol"
        assert "geheim" not in fault.reason
        assert [asked.method for asked in other.asked] == ["GET"]


async def test_an_answer_beyond_the_limit_is_not_read_to_its_end() -> None:
    small = A2aPeers(answer_bytes=10_000)
    with played() as other:
        answering(other, spoken('{"text": "' + "x" * 9_000 + '"}'))
        assert len((await small.send(other.url, hello()))[1].text) == 9_000
        answering(other, spoken('{"text": "' + "x" * 10_001 + '"}'))
        fault = await refusal(small.send(other.url, hello()))
    await small.close()
    assert fault.code.name == "peer_broke_protocol"
    assert "longer than 10000 bytes" in fault.reason


async def one_answer(answer: bytes, timeout_s: float) -> CsbError:
    """What becomes of a talk with a server that sends some bytes and then one more again and again."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        while not reader.at_eof():
            try:
                async with asyncio.timeout(0.01):
                    await reader.read()
            except TimeoutError:
                writer.write(b" ")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    made = A2aPeers(timeout_s=timeout_s)
    async with asyncio.timeout(10):
        fault = await refusal(made.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", hello()))
    await made.close()
    server.close()
    await server.wait_closed()
    return fault


async def test_an_answer_that_drips_is_given_up() -> None:
    fault = await one_answer(b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n", 0.2)
    assert fault.code.name == "peer_unreachable"


async def test_an_answer_that_is_packed_is_not_unpacked() -> None:
    packed = gzip.compress(json.dumps(CARD).encode())
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)
    fault = await one_answer(head + packed, 5)
    assert fault.code.name == "peer_broke_protocol"
    assert "packed" in fault.reason
