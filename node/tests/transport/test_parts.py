"""Parts of all four kinds come back unchanged over the wire, in every binding and dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from csbond_tests.canonical import PARTS
from csbond_tests.requirements import requirement
from csbond_tests.stories import echo

PLAIN = {name: part for name, part in PARTS.items() if name != "data that is nothing"}
"""The compatibility layer of the SDK, which speaks for the older dialects here, has no words for a null."""
KINDS = [*PLAIN, "mixed"]
_numbers = iter(range(1, 1_000_000))


def said(kind: str) -> dict[str, Any]:
    parts = list(PLAIN.values()) if kind == "mixed" else [PLAIN[kind]]
    return {"messageId": f"m-{next(_numbers)}", "role": "ROLE_USER", "parts": parts}


@pytest.fixture
def node(shared_node):
    shared_node.play(echo)
    return shared_node


@requirement("A2A-DATA-004", "A2A-DATA-003", "V03-005", "V03-016", "DRAFT-004")
@pytest.mark.parametrize("kind", KINDS)
async def test_parts_come_back_from_an_echo(somebody, kind: str) -> None:
    message = said(kind)
    task = (await somebody.send(message))["task"]
    assert task["history"][0]["parts"] == message["parts"]
    assert task["history"][1]["parts"] == message["parts"]
    assert task["artifacts"][0]["parts"] == message["parts"]
    assert (await somebody.get(task["id"]))["artifacts"] == task["artifacts"]


@requirement("A2A-DATA-004")
@pytest.mark.parametrize("kind", KINDS)
async def test_parts_come_back_in_a_stream(somebody, kind: str) -> None:
    message = said(kind)
    events = [event async for event in somebody.stream(message)]
    assert events[1]["artifactUpdate"]["artifact"]["parts"] == message["parts"]


@requirement("A2A-DATA-004", "FAULT-29")
@pytest.mark.parametrize("place", ["/", "/message:send"])
async def test_numbers_and_nulls_come_back_exactly(node, place: str) -> None:
    deep = [[0, -1, {"x": 18_446_744_073_709_551_615}]]
    data = {"n": 1, "big": 9_007_199_254_740_993, "float": 1.5, "none": None, "deep": deep}
    message = {**said("text"), "parts": [{"data": data}, {"data": None}, {"data": 7}], "metadata": {"n": 2**60}}
    body: dict[str, Any] = {"message": message}
    if place == "/":
        body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": body}
    async with node.client(node.token, **{"A2A-Version": "1.0"}) as http:
        text = (await http.post(place, json=body)).text
    answer = json.loads(text)
    task = (answer["result"] if place == "/" else answer)["task"]
    for parts in (task["history"][0]["parts"], task["artifacts"][0]["parts"]):
        assert repr(parts) == repr(message["parts"])
    assert task["history"][0]["metadata"] == {"n": 2**60}
    assert "1.0" not in json.dumps(task["artifacts"])


@requirement("A2A-DATA-004", "FAULT-29")
@pytest.mark.parametrize("binding", ["json-rpc 1.0", "http+json 1.0"], indirect=True)
async def test_a_task_told_in_one_dialect_is_read_the_same_in_another(node, speak, binding) -> None:
    token = await node.somebody()
    old = await speak(node, "json-rpc 0.3", token)
    message = said("mixed")
    task = (await old.send(message))["task"]
    new = await speak(node, binding, token)
    assert (await new.get(task["id"]))["artifacts"][0]["parts"] == message["parts"]


@requirement("A2A-DATA-004", "DRAFT-004")
async def test_parts_of_the_drafts_come_back_to_draft_clients(node) -> None:
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": "你好"},
        {"type": "data", "data": {"n": 1, "list": [1.5, None]}},
        {"type": "file", "file": {"bytes": "aGVsbG8=", "mimeType": "text/plain", "name": "a.txt"}},
        {"type": "url", "url": "https://files.example/a.pdf"},
    ]
    async with node.client() as http:
        params = {"id": "task_1", "sessionId": "session_1", "message": {"role": "user", "parts": parts}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tasks/send", "params": params}
        task = (await http.post("/", json=body)).json()["result"]
    for sent, back in zip(parts, task["artifacts"][0]["parts"], strict=True):
        assert sent.items() <= back.items() or (sent["type"] == "file" and sent["file"] == back["file"])
