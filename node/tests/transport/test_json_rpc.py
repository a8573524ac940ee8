"""The form of JSON-RPC calls and answers, apart from what is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from csbond_tests.requirements import requirement

HELLO = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}
V1_0 = {"A2A-Version": "1.0"}
PATHS = ("/", "/a2a", "/a2a/json-rpc")


def call(method: Any = "SendMessage", params: Any = None, **more: Any) -> dict[str, Any]:
    params = {"message": HELLO} if params is None else params
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}


async def post(node, body: Any, path: str = "/", **headers: str) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    stated = {"content-type": "application/json", **V1_0, **headers}
    async with node.client(node.token) as http:
        return await http.post(path, content=content, headers=stated)


async def error(node, body: Any, **headers: str) -> Any:
    """The error of a call that must be refused, after a look that nothing of it was kept."""
    before = await node.counts()
    answer = (await post(node, body, **headers)).json()
    assert await node.counts() == before
    assert answer["jsonrpc"] == "2.0"
    return answer["error"] | {"id": answer["id"]}


@requirement("A2A-RPC-001", "DRAFT-003")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("id_", [1, 0, -7, "a", "", 1.5, None])
async def test_the_id_comes_back_as_it_was_at_every_path(node, path: str, id_: Any) -> None:
    answer = await post(node, call(id=id_), path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert (body["jsonrpc"], body["id"], set(body)) == ("2.0", id_, {"jsonrpc", "id", "result"})


@requirement("A2A-RPC-001")
async def test_a_call_without_an_id_is_answered_with_none(node) -> None:
    body = call()
    del body["id"]
    assert (await post(node, body)).json()["id"] is None


@requirement("A2A-RPC-005", "A2A-RPC-006", "A2A-SEND-016")
@pytest.mark.parametrize(
    "body, code",
    [
        (b"", -32700),
        (b"{", -32700),
        (b"not json", -32700),
        (b'{"jsonrpc": "2.0",}', -32700),
        ([], -32600),
        ([call()], -32600),
        ([call(), call()], -32600),
        ("SendMessage", -32600),
        (None, -32600),
        (7, -32600),
        ({}, -32600),
        ({"id": 1, "method": "SendMessage", "params": {}}, -32600),
        (call(jsonrpc="1.0"), -32600),
        (call(jsonrpc=2.0), -32600),
        (call(id={}), -32600),
        (call(id=[1]), -32600),
        (call(id=True), -32600),
        (call(method=5), -32600),
        (call(method=""), -32600),
        (call(method={"name": "SendMessage"}), -32600),
        (call(method="sendMessage"), -32601),
        (call(method="message/sendd"), -32601),
        (call(method="SendMessage "), -32601),
        (call(params=[]), -32602),
        (call(params="x"), -32602),
        (call(params={}), -32602),
        (call(params={"message": None}), -32602),
        (call(method="GetTask", params={}), -32602),
        (call(method="GetTask", params={"id": 7}), -32602),
        (call(method="message/send", params={"message": {"role": "user"}}), -32602),
        (call(method="tasks/get", params={}), -32602),
        (call(method="tasks/send", params={"message": {"parts": [{}]}}), -32602),
    ],
    ids=repr,
)
async def test_what_is_no_call_has_the_standard_error(node, body: Any, code: int) -> None:
    found = await error(node, body)
    assert found["code"] == code
    assert found["message"]
    if isinstance(body, dict) and isinstance(body.get("id"), int) and body["id"] is not True:
        assert found["id"] == 1
    else:
        assert found["id"] is None


@requirement("A2A-RPC-003")
@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x", "json"])
async def test_another_media_type_is_refused(node, media_type: str) -> None:
    found = await error(node, call(), **{"content-type": media_type})
    assert found["code"] == -32005
    assert found["data"][0]["reason"] == "CONTENT_TYPE_NOT_SUPPORTED"


@requirement("A2A-RPC-003")
@pytest.mark.parametrize(
    "media_type", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/a2a+json"]
)
async def test_json_is_taken_under_its_names(node, media_type: str) -> None:
    assert "result" in (await post(node, call(), **{"content-type": media_type})).json()


async def test_a_call_without_a_media_type_is_taken(node) -> None:
    async with node.client(node.token) as http:
        request = http.build_request("POST", "/", content=json.dumps(call()).encode(), headers=V1_0)
        assert "content-type" not in request.headers
        assert "result" in (await http.send(request)).json()


@requirement("A2A-RPC-004")
@pytest.mark.parametrize("method", ["SendStreamingMessage", "message/stream", "tasks/sendSubscribe"])
async def test_a_stream_is_made_of_answers_with_the_id_of_the_call(node, method: str) -> None:
    draft = {"role": "user", "parts": [{"text": "hi"}]}
    message = {**HELLO, "messageId": "m-streamed"} if method == "SendStreamingMessage" else draft
    answer = await post(node, call(method=method, params={"message": message}, id="s-1"))
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    lines = [line for line in answer.text.split("\n\n") if line]
    assert all(line.startswith("data: ") for line in lines)
    events = [json.loads(line.removeprefix("data: ")) for line in lines]
    assert len(events) == 3
    assert all(event["jsonrpc"] == "2.0" and event["id"] == "s-1" and "result" in event for event in events)


@requirement("A2A-DATA-005")
async def test_unknown_members_are_ignored(node) -> None:
    body = call(params={"message": {**HELLO, "colour": "blue"}, "future": 1}, extra="member")
    assert "result" in (await post(node, body)).json()


@requirement("A2A-DATA-002")
async def test_times_are_in_utc_with_milliseconds(node) -> None:
    task = (await post(node, call())).json()["result"]["task"]
    assert task["status"]["timestamp"][10] == "T"
    assert len(task["status"]["timestamp"]) == len("2026-05-10T08:30:00.250Z")
    assert task["status"]["timestamp"].endswith("Z")


@pytest.mark.parametrize("verb", ["PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", PATHS)
async def test_other_verbs_are_not_allowed(node, path: str, verb: str) -> None:
    async with node.client() as http:
        answer = await http.request(verb, path)
    assert answer.status_code == 405
    assert "error" in answer.json()


@requirement("A2A-ERR-007")
async def test_a_bug_is_an_internal_error_that_tells_nothing(serve) -> None:
    node = await serve()

    async def broken(*_arguments: Any) -> Any:
        raise RuntimeError("secret internal detail")

    node.world.ledger.task = broken
    get = call(method="GetTask", params={"id": "t"})
    answer = await post(node, get)
    assert answer.json()["error"]["code"] == -32603
    subscribe = await post(node, call(method="SubscribeToTask", params={"id": "t"}))
    assert subscribe.json()["error"]["code"] == -32603
    async with node.client(node.token, **V1_0) as http:
        rest = await http.get("/tasks/t")
        assert rest.status_code == 500
    assert "secret" not in answer.text + subscribe.text + rest.text
    assert len(node.world.journal.noted) == 3
