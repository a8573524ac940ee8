"""The form of HTTP+JSON requests and answers, apart from what is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
import pytest_asyncio

from csbond.flows.turn import Done
from csbond_tests.requirements import requirement

V1_0 = {"A2A-Version": "1.0"}
_numbers = iter(range(1, 1_000_000))


def hello(**facts: Any) -> dict[str, Any]:
    message = {"messageId": f"m-{next(_numbers)}", "role": "ROLE_USER", "parts": [{"text": "hi"}], **facts}
    return {"message": message}


@pytest_asyncio.fixture(loop_scope="module")
async def http(node):
    async with node.client(await node.somebody(), **V1_0) as client:
        yield client


@requirement("A2A-HTTP-002")
@pytest.mark.parametrize(
    "headers, answered",
    [
        ({"content-type": "application/a2a+json"}, "application/a2a+json"),
        ({"content-type": "application/a2a+json", "accept": "application/json"}, "application/a2a+json"),
        ({"content-type": "application/json"}, "application/json"),
        ({"content-type": "application/json; charset=utf-8"}, "application/json"),
        ({"content-type": "application/json", "accept": "application/a2a+json"}, "application/a2a+json"),
    ],
)
async def test_an_answer_has_the_media_type_its_reader_speaks(http, headers: dict[str, str], answered: str) -> None:
    answer = await http.post("/message:send", content=json.dumps(hello()), headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == answered


@requirement("A2A-HTTP-002")
async def test_a_question_without_a_body_is_answered_in_the_type_of_the_protocol_or_as_wished(http) -> None:
    assert (await http.get("/tasks")).headers["content-type"] == "application/a2a+json"
    wished = await http.get("/tasks", headers={"accept": "application/json"})
    assert wished.headers["content-type"] == "application/json"


@requirement("A2A-HTTP-002")
@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x"])
async def test_another_media_type_is_refused(node, http, media_type: str) -> None:
    before = await node.counts()
    answer = await http.post("/message:send", content=json.dumps(hello()), headers={"content-type": media_type})
    assert answer.status_code in (400, 415)
    assert answer.json()["error"]["details"][0]["reason"] == "CONTENT_TYPE_NOT_SUPPORTED"
    assert await node.counts() == before


@requirement("A2A-HTTP-004", "A2A-ERR-002", "A2A-ERR-003")
async def test_an_error_is_a_google_rpc_status(http) -> None:
    answer = await http.get("/tasks/no-such-task")
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert (error["code"], error["status"]) == (404, "NOT_FOUND")
    assert error["message"]
    assert error["details"][0] == {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "TASK_NOT_FOUND",
        "domain": "a2a-protocol.org",
        "metadata": {"csb_code": "task_not_found", "next_step": error["details"][0]["metadata"]["next_step"]},
    }


@requirement("A2A-HTTP-003", "A2A-LIST-009", "A2A-ERR-004")
@pytest.mark.parametrize(
    "query, field",
    [
        ("pageSize=150", "pageSize"),
        ("historyLength=2147483648", "historyLength"),
        ("historyLength=99999999999", "historyLength"),
        ("pageSize=0", "pageSize"),
        ("pageSize=ten", "pageSize"),
        ("pageSize=--5", "pageSize"),
        ("pageSize=-", "pageSize"),
        ("pageSize=1.5", "pageSize"),
        ("pageSize=99999999999", "pageSize"),
        ("historyLength=-5", "historyLength"),
        ("status=TASK_STATE_RUNNING", "status"),
        ("status=working", "status"),
        ("includeArtifacts=yes", "includeArtifacts"),
        ("includeArtifacts=True", "includeArtifacts"),
        ("statusTimestampAfter=yesterday", "statusTimestampAfter"),
        ("pageToken=junk", "pageToken"),
        ("pageToken=OTIyMzM3MjAzNjg1NDc3NTgwODp0", "pageToken"),
    ],
)
async def test_a_query_out_of_range_is_refused_by_its_name(http, query: str, field: str) -> None:
    answer = await http.get(f"/tasks?{query}")
    assert answer.status_code == 400
    details = answer.json()["error"]["details"]
    assert details[0]["reason"] == "INVALID_PARAMS"
    assert details[1]["fieldViolations"][0]["field"] == field


@requirement("A2A-HTTP-003")
@pytest.mark.parametrize("query, status", [("historyLength=2147483647", 200), ("pageSize=0", 400), ("", 200)])
async def test_a_head_request_is_answered_as_the_get_request_is(http, query: str, status: int) -> None:
    assert (await http.get(f"/tasks?{query}")).status_code == status
    assert (await http.head(f"/tasks?{query}")).status_code == status


@requirement("A2A-HTTP-003")
async def test_the_parameters_of_a_query_have_their_types(http) -> None:
    task = (await http.post("/message:send", json=hello())).json()["task"]
    query = {
        "contextId": task["contextId"],
        "status": "TASK_STATE_INPUT_REQUIRED",
        "pageSize": "1",
        "historyLength": "1",
        "includeArtifacts": "true",
        "statusTimestampAfter": "2020-01-01T00:00:00Z",
        "colour": "blue",
    }
    listing = (await http.get("/tasks", params=query)).json()
    assert (listing["pageSize"], listing["totalSize"], listing["nextPageToken"]) == (1, 1, "")
    (found,) = listing["tasks"]
    assert len(found["history"]) == 1
    assert found["artifacts"] == task["artifacts"]
    bare = (await http.get("/tasks", params={"contextId": task["contextId"]})).json()["tasks"][0]
    assert "artifacts" not in bare


@requirement("A2A-LIST-005")
async def test_artifacts_asked_for_are_there_if_only_as_an_empty_list(node, http) -> None:
    async def nothing(turn):
        if turn.message.text == "never":
            yield Done()

    node.play(nothing)
    task = (await http.post("/message:send", json=hello())).json()["task"]
    listing = (await http.get("/tasks", params={"contextId": task["contextId"], "includeArtifacts": "true"})).json()
    assert listing["tasks"][0]["artifacts"] == []


@requirement("A2A-HTTP-001")
@pytest.mark.parametrize("body", [b"", b"{}"])
async def test_operations_on_a_task_need_no_body(http, body: bytes) -> None:
    task = (await http.post("/message:send", json=hello())).json()["task"]
    answer = await http.post(f"/tasks/{task['id']}:cancel", content=body, headers={"content-type": "application/json"})
    assert answer.json()["status"]["state"] == "TASK_STATE_CANCELED"


@requirement("A2A-HTTP-001")
async def test_subscribing_is_a_post_and_a_get_as_well(http) -> None:
    task = (await http.post("/message:send", json=hello())).json()["task"]
    for verb in ("POST", "GET"):
        async with http.stream(verb, f"/tasks/{task['id']}:subscribe") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            first = await anext(answer.aiter_lines())
            assert json.loads(first.removeprefix("data: "))["task"]["id"] == task["id"]


@requirement("A2A-HTTP-001")
async def test_the_path_counts_and_not_what_the_body_says(http) -> None:
    one = (await http.post("/message:send", json=hello())).json()["task"]
    two = (await http.post("/message:send", json=hello())).json()["task"]
    config = {"id": "w", "taskId": two["id"], "url": "https://hooks.example/"}
    made = await http.post(f"/tasks/{one['id']}/pushNotificationConfigs", json=config)
    assert made.json()["taskId"] == one["id"]
    await http.post(f"/tasks/{one['id']}:cancel", json={"id": two["id"]})
    assert (await http.get(f"/tasks/{two['id']}")).json()["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"


@requirement("A2A-HTTP-001")
@pytest.mark.parametrize("name", ["a b", "任务", "a%2Fb", "a:b", "x" * 3000])
async def test_an_odd_task_id_is_not_found_and_breaks_nothing(http, name: str) -> None:
    answer = await http.get(f"/tasks/{name}")
    assert answer.status_code in (404, 405), answer.text
    assert "error" in answer.json()


@pytest.mark.parametrize(
    "verb, path, status",
    [
        ("GET", "/nowhere", 404),
        ("GET", "/message:send", 405),
        ("DELETE", "/tasks", 405),
        ("PUT", "/tasks/x", 405),
        ("POST", "/tasks/x:explode", 405),
        ("GET", "/v1/nowhere", 404),
    ],
)
async def test_what_is_not_served_is_said_so_in_json(http, verb: str, path: str, status: int) -> None:
    answer = await http.request(verb, path)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json()["error"]


@requirement("V03-013", "V03-015", "FAULT-26", "FAULT-33")
@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"message": {}},
        {"message": {"messageId": "m", "content": [{"text": "hi"}]}},
        {"message": {"messageId": "m", "role": "ROLE_USER"}},
        {"message": {"messageId": "m", "role": "ROLE_USER", "content": [{"video": "hi"}]}},
        {"message": {"messageId": "m", "role": "ROLE_USER", "content": [{"kind": "video", "text": "hi"}]}},
        {"message": {"role": "ROLE_USER", "content": [{"text": "hi"}]}},
    ],
    ids=repr,
)
async def test_a_v0_3_body_that_does_not_fit_is_invalid(node, body: Any) -> None:
    before = await node.counts()
    async with node.client(node.token) as http:
        for path in ("/v1/message:send", "/v1/message:stream"):
            answer = await http.post(path, json=body)
            assert answer.status_code == 400
            assert answer.headers["content-type"] == "application/json"
            assert answer.json()["error"]["details"][0]["reason"] == "INVALID_PARAMS"
    assert await node.counts() == before


@requirement("V03-013", "FAULT-27")
@pytest.mark.parametrize("path", ["/v1/tasks/no-such-task:subscribe", "/v1/tasks/no-such-task"])
async def test_a_v0_3_task_that_is_not_there_is_a_plain_404(node, path: str) -> None:
    async with node.client(node.token) as http:
        answer = await http.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
    assert answer.json()["error"]["details"][0]["reason"] == "TASK_NOT_FOUND"
