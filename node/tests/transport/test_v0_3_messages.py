"""What a message of v0.3 must have, and what its ids say, in every binding."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from csbond_tests.requirements import requirement

_numbers = itertools.count()

WHOLE = {"messageId": "m-1", "role": "ROLE_USER", "content": [{"text": "hi"}]}
OLD_BINDINGS = ["json-rpc 0.3", "http+json 0.3"]


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in WHOLE.items() if key != name}


@requirement("V03-019")
@pytest.mark.parametrize("path", ["/v1/message:send", "/v1/message:stream"])
@pytest.mark.parametrize("name", ["messageId", "role", "content"])
async def test_a_message_over_http_without_what_it_must_have_is_refused(node, path: str, name: str) -> None:
    before = await node.counts()
    async with node.client() as client:
        answer = await client.post(path, json={"message": without(name)})
    assert answer.status_code == 400
    details = answer.json()["error"]["details"]
    assert details[0]["reason"] == "INVALID_PARAMS"
    assert details[1]["fieldViolations"][0]["field"] == f"message.{'parts' if name == 'content' else name}"
    assert await node.counts() == before


@requirement("V03-019")
async def test_on_json_rpc_a_message_without_kind_needs_no_id_as_the_drafts_print_it(node) -> None:
    async with node.client() as client:
        for kind, ids in ((None, "an id"), ("message", "none")):
            message = {"role": "user", "parts": [{"text": "hi"}]} | ({"kind": kind} if kind else {})
            call = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}
            answer = (await client.post("/", json=call)).json()
            if ids == "none":
                assert answer["error"]["code"] == -32602
            else:
                assert answer["result"]["history"][0]["messageId"]


@requirement("V03-021")
@pytest.mark.parametrize("binding", OLD_BINDINGS, indirect=True)
async def test_the_context_of_a_message_to_a_task_is_that_of_the_task(somebody) -> None:
    def message(**facts: str) -> dict[str, Any]:
        return {"messageId": f"v-{next(_numbers)}", "role": "ROLE_USER", "parts": [{"text": "hi"}], **facts}

    task = (await somebody.send(message()))["task"]
    again = (await somebody.send(message(taskId=task["id"], contextId="made-up")))["task"]
    assert (again["id"], again["contextId"]) == (task["id"], task["contextId"])
    assert {each["contextId"] for each in again["history"]} == {task["contextId"]}
