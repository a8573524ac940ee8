from __future__ import annotations

import asyncio

import httpx
import pytest

from csbond.protocol.errors import Unavailable

JSON = {"Content-Type": "application/json"}


def error_of(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert "Traceback" not in answer.text
    error = answer.json()["error"]
    assert set(error) <= {"code", "reason", "field", "next_step"}
    assert error["reason"]
    return error["code"]


async def counted(ledger):
    return (await ledger.counts())["entries"]


async def test_an_unknown_route_is_said_to_be_unknown(owner):
    answer = await owner.get("/v1/memories")
    assert error_of(answer, 404) == "method_not_found"
    assert "/openapi.json" in answer.json()["error"]["next_step"]


async def test_a_path_with_a_slash_at_its_end_is_not_redirected(owner):
    assert error_of(await owner.get("/v1/memory/"), 404) in ("method_not_found", "memory_not_found")


async def test_a_method_a_route_does_not_have_is_refused_with_those_it_has(owner):
    answer = await owner.patch("/v1/memory/mem_1_a", json={})
    assert error_of(answer, 405) == "method_not_found"
    assert answer.headers["allow"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{'content': 'x'}",
        b'{"content": NaN}',
        b'{"content": "\xff"}',
        b'{"content": "\\ud800"}',
        b'{"content": "x"} {"content": "y"}',
        b"[" * 65 + b"]" * 65,
        b'{"content": "x", "deep": ' + b'{"a":' * 64 + b"1" + b"}" * 65,
        b"[" * 60000,
    ],
)
async def test_a_body_that_is_no_json_is_a_parse_error(owner, ledger, body):
    for path in ("/v1/memory", "/v1/memory/batch", "/v1/memory/search", "/v1/principals"):
        assert error_of(await owner.post(path, content=body, headers=JSON), 400) == "parse_error"
    assert await counted(ledger) == 0


@pytest.mark.parametrize("body", [b"[]", b"7", b'"text"', b"null", b"true"])
async def test_a_body_that_is_no_object_is_not_a_request(owner, body):
    for path in ("/v1/memory", "/v1/memory/batch", "/v1/memory/search", "/v1/principals"):
        assert error_of(await owner.post(path, content=body, headers=JSON), 400) == "invalid_request"
    entry = (await owner.post("/v1/memory", json={"content": "x"})).json()
    answer = await owner.put(f"/v1/memory/{entry['id']}", content=body, headers=JSON)
    assert error_of(answer, 400) == "invalid_request"


@pytest.mark.parametrize(
    "type_", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json"]
)
async def test_a_body_of_another_type_is_not_read(owner, ledger, type_):
    answer = await owner.post("/v1/memory", content=b'{"content": "x"}', headers={"Content-Type": type_})
    assert error_of(answer, 415) == "content_type_not_supported"
    assert await counted(ledger) == 0


async def test_json_with_a_charset_is_json(owner):
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert (await owner.post("/v1/memory", content=b'{"content": "x"}', headers=headers)).status_code == 201


async def test_a_body_longer_than_the_limit_is_refused_by_its_length_and_by_its_bytes(owner, ledger):
    async def chunks():
        yield b'{"content": "'
        for _ in range(70):
            yield b"x" * 1024

    assert error_of(await owner.post("/v1/memory", content=b"x" * 70_000, headers=JSON), 413) == "body_too_large"
    assert error_of(await owner.post("/v1/memory", content=chunks(), headers=JSON), 413) == "body_too_large"
    assert await counted(ledger) == 0


async def test_a_body_that_does_not_arrive_is_not_waited_for(owner):
    async def stalled():
        yield b'{"content":'
        await asyncio.Event().wait()

    assert error_of(await owner.post("/v1/memory", content=stalled(), headers=JSON), 408) == "request_timeout"


async def test_a_client_that_leaves_in_the_middle_of_its_body_stores_nothing(owner, ledger):
    sent = []
    messages = iter(
        [
            {"type": "http.request", "body": b'{"content": "x"', "more_body": True},
            {"type": "http.disconnect"},
        ]
    )

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message)

    transport = owner._transport
    assert isinstance(transport, httpx.ASGITransport)
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/memory",
        "raw_path": b"/v1/memory",
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [
            (b"authorization", owner.headers["authorization"].encode()),
            (b"content-type", b"application/json"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("node", 80),
    }
    await transport.app(scope, receive, send)
    assert sent[0]["status"] in (400, 408)
    assert await counted(ledger) == 0


@pytest.mark.parametrize(
    "fault, status",
    [
        (Unavailable("storage_full", "the disk is full"), 507),
        (Unavailable("storage_unavailable", "the disk is gone"), 503),
    ],
)
async def test_a_ledger_that_fails_is_named_and_nothing_is_said_to_be_done(owner, ledger, fault, status):
    ledger.fault = fault
    answer = await owner.post("/v1/memory", json={"content": "x"})
    assert error_of(answer, status) == fault.code.name
    assert ("retry-after" in answer.headers) == (status == 503)


async def test_a_bug_is_an_internal_error_without_its_text(owner, world):
    world.ledger.fault = RuntimeError("a secret of the house")
    answer = await owner.post("/v1/memory", json={"content": "x"})
    assert error_of(answer, 500) == "internal_error"
    assert "secret" not in answer.text


async def test_a_node_whose_index_is_behind_says_it_is_busy(owner, world):
    world.signals.indexing.waiting = world.limits.index_lag + 1
    answer = await owner.post("/v1/memory", json={"content": "x"})
    assert error_of(answer, 503) == "too_busy"
    assert answer.headers["retry-after"]
