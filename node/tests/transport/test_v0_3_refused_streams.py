"""Clients of v0.3 that ask for a stream read events and nothing else, so a refusal is one (v0.3 §3.3.1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from csbond_tests.requirements import requirement

UNKNOWN = {"id": "no-such-task"}
EVENTS = "text/event-stream"


def call(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": "call-1", "method": method, "params": params}


def told(body: str) -> Any:
    (line,) = [line for line in body.splitlines() if line.startswith("data: ")]
    return json.loads(line.removeprefix("data: "))


@requirement("V03-018", "FAULT-27")
@pytest.mark.parametrize(
    "method, params, code",
    [
        ("tasks/resubscribe", UNKNOWN, -32001),
        ("tasks/subscribe", UNKNOWN, -32001),
        ("message/stream", {"message": {"kind": "message", "role": "user", "parts": []}}, -32602),
        ("tasks/sendSubscribe", {"message": "nothing"}, -32602),
    ],
)
async def test_a_refused_stream_is_one_event_with_the_error(node, method: str, params: dict, code: int) -> None:
    async with node.client(Accept=EVENTS) as client:
        answer = await client.post("/", json=call(method, params))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(EVENTS)
    event = told(answer.text)
    assert (event["jsonrpc"], event["id"], event["error"]["code"]) == ("2.0", "call-1", code)


@requirement("V03-018")
@pytest.mark.parametrize(
    "accept, method, params",
    [
        ("*/*", "tasks/resubscribe", UNKNOWN),
        ("application/json", "tasks/resubscribe", UNKNOWN),
        (EVENTS, "tasks/get", UNKNOWN),
        (EVENTS, "SubscribeToTask", UNKNOWN),
        (EVENTS, "no/such/method", {}),
    ],
)
async def test_every_other_refusal_is_a_plain_answer(node, accept: str, method: str, params: dict) -> None:
    async with node.client(**{"Accept": accept, "A2A-Version": "1.0"}) as client:
        answer = await client.post("/", json=call(method, params))
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["error"]["code"] in (-32001, -32601)


@requirement("V03-018")
async def test_a_wrong_token_stays_a_status_of_http(node) -> None:
    async with node.client("wrong-token", Accept=EVENTS) as client:
        answer = await client.post("/", json=call("tasks/resubscribe", UNKNOWN))
    assert answer.status_code == 401
