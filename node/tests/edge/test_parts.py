"""Parts of all four kinds, alone and mixed, come back unchanged through a running node in every dialect and binding."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from csbond_tests.bindings import BINDINGS
from csbond_tests.canonical import PARTS
from csbond_tests.played_node import played
from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode
from csbond_tests.speakers import HttpSpeaker, OldHttpSpeaker, OldRpcSpeaker, RpcSpeaker

V1_0 = {"a2a-version": "1.0"}
SAID = {name: [part] for name, part in PARTS.items()} | {
    "all of them": list(PARTS.values()),
    "all of them backwards": list(reversed(PARTS.values())),
    "one kind again and again": [PARTS["text"], PARTS["text"], PARTS["file"], PARTS["file"]],
}
DRAFT_PARTS: dict[str, list[dict[str, Any]]] = {
    "type": [
        {"type": "text", "text": "你好"},
        {"type": "data", "data": {"n": 1, "deep": {"list": [1.5, None]}}},
        {"type": "file", "file": {"name": "a.txt", "mimeType": "text/plain", "bytes": "aGVsbG8="}},
        {"type": "url", "url": "https://files.example/a.pdf"},
    ],
    "kind": [
        {"kind": "text", "text": "你好"},
        {"kind": "data", "data": {"n": 1, "deep": {"list": [1.5, None]}}},
        {"kind": "file", "file": {"name": "a.txt", "mimeType": "text/plain", "bytes": "aGVsbG8="}},
        {"kind": "file", "file": {"uri": "https://files.example/a.pdf"}},
    ],
    "nothing": [
        {"text": "你好"},
        {"data": {"n": 1, "deep": {"list": [1.5, None]}}},
        {"file": {"name": "a.txt", "mimeType": "text/plain", "bytes": "aGVsbG8="}},
        {"url": "https://files.example/a.pdf"},
    ],
}


@asynccontextmanager
async def speaker(node: RunningNode, grpc_port: int, binding: str) -> AsyncIterator[Any]:
    """The node's owner, speaking a dialect over a binding."""
    if binding.startswith("grpc"):
        from csbond_tests.grpc_speakers import GrpcSpeaker, OldGrpcSpeaker

        kind: Any = GrpcSpeaker if binding == "grpc 1.0" else OldGrpcSpeaker
        over_grpc = kind(f"127.0.0.1:{grpc_port}", node.home.owner_token())
        yield over_grpc
        await over_grpc.close()
        return
    async with httpx.AsyncClient(base_url=node.url, headers=dict(node.owner), timeout=20) as http:
        yield {
            "json-rpc 1.0": lambda: RpcSpeaker(http),
            "json-rpc 0.3": lambda: OldRpcSpeaker(http, headers=()),
            "http+json 1.0": lambda: HttpSpeaker(http),
            "http+json 0.3": lambda: OldHttpSpeaker(http, "/v1", headers=()),
        }[binding]()


def _encoded_twice(part: dict[str, Any]) -> dict[str, Any]:
    """A part as the SDK's client of the v0.3 HTTP binding writes it: base64 of the base64 of its bytes."""
    return part | {"raw": base64.b64encode(part["raw"].encode()).decode()} if "raw" in part else part


def in_thread(node: RunningNode, task: Any) -> list[list[Any]]:
    """What was said in the thread of a task, as `/v1/continuity` shows it."""
    shown = httpx.get(f"{node.url}/v1/continuity/thread/{task['contextId']}", headers=node.owner).json()
    return [message["parts"] for message in shown["messages"]]


@requirement("A2A-DATA-004", "A2A-DATA-003")
@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("binding", BINDINGS)
async def test_parts_come_back_as_they_were_sent(
    echo_node: RunningNode, grpc_port: int, binding: str, said: str
) -> None:
    parts = SAID[said]
    message = {"messageId": f"{binding}: {said}", "role": "ROLE_USER", "parts": parts}
    async with speaker(echo_node, grpc_port, binding) as client:
        task = (await client.send(message))["task"]
        assert task["artifacts"][0]["parts"] == parts
        assert task["history"][0]["parts"] == parts
        got = await client.get(task["id"])
        assert (got["artifacts"][0]["parts"], got["history"][0]["parts"]) == (parts, parts)
        streamed = [
            event async for event in client.stream({**message, "messageId": f"{message['messageId']} streamed"})
        ]
    chunks = [event["artifactUpdate"]["artifact"] for event in streamed if "artifactUpdate" in event]
    assert [chunk["parts"] for chunk in chunks] == [parts]
    kept = [_encoded_twice(part) for part in parts] if binding == "http+json 0.3" else parts
    assert in_thread(echo_node, task) == [kept, kept]


@requirement("A2A-DATA-004", "DRAFT-004", "DRAFT-006")
@pytest.mark.parametrize("spelling", DRAFT_PARTS)
@pytest.mark.parametrize("path", ["/", "/a2a", "/a2a/json-rpc"])
def test_parts_of_the_drafts_come_back_in_every_spelling(echo_node: RunningNode, spelling: str, path: str) -> None:
    parts = DRAFT_PARTS[spelling]
    params = {
        "id": f"{spelling} {path}",
        "sessionId": f"s {spelling} {path}",
        "message": {"role": "user", "parts": parts},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "tasks/send", "params": params}
    task = httpx.post(echo_node.url + path, json=call, headers=echo_node.owner).json()["result"]
    for shown in (task["artifacts"][0]["parts"], task["history"][0]["parts"]):
        text, data, file, url = shown
        assert text["text"] == parts[0]["text"]
        assert data["data"] == parts[1]["data"]
        assert file["file"] == parts[2]["file"]
        assert url["url"] == url["file"]["uri"] == "https://files.example/a.pdf"
        assert [part["type"] for part in shown] == ["text", "data", "file", "url"]


@requirement("FAULT-29", "A2A-DATA-004")
def test_numbers_and_bytes_are_the_same_to_the_last_digit(echo_node: RunningNode) -> None:
    raw = base64.b64encode(bytes(range(256)) * 40).decode()
    data = {
        "large": 2**63,
        "small": -(2**53) - 1,
        "whole": 1,
        "real": 1.0,
        "tiny": 5e-324,
        "text": "\u0000\u2028 \U0001f319",
    }
    body = {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}, {"raw": raw}]}}
    answer = httpx.post(f"{echo_node.url}/message:send", json=body, headers=V1_0).json()
    shown, file = answer["task"]["artifacts"][0]["parts"]
    assert json.dumps(shown["data"]) == json.dumps(data)
    assert file["raw"] == raw


@requirement("A2A-DATA-007")
async def test_an_address_in_a_part_is_passed_on_and_never_fetched(echo_node: RunningNode, grpc_port: int) -> None:
    with played() as server:
        server.answer("GET /secret", {})
        parts = [{"url": f"{server.url}/secret", "mediaType": "text/html", "filename": "secret"}, {"text": server.url}]
        for binding in ("json-rpc 1.0", "json-rpc 0.3", "http+json 1.0", "http+json 0.3", "grpc 1.0", "grpc 0.3"):
            async with speaker(echo_node, grpc_port, binding) as client:
                message = {"messageId": f"url over {binding}", "role": "ROLE_USER", "parts": parts}
                task = (await client.send(message))["task"]
                assert task["artifacts"][0]["parts"] == parts
        assert server.asked == []


@requirement("A2A-DATA-008")
def test_the_bytes_of_files_are_bounded_together_and_nothing_of_what_is_refused_is_kept(echo_node: RunningNode) -> None:
    limit = 8 * 1024 * 1024
    before = httpx.get(f"{echo_node.url}/v1/status", headers=echo_node.owner).json()["counts"]
    half = base64.b64encode(b"x" * (limit // 2)).decode()

    def sent(*files: str) -> httpx.Response:
        message = {"messageId": "m-big", "role": "ROLE_USER", "parts": [{"raw": file} for file in files]}
        return httpx.post(f"{echo_node.url}/message:send", json={"message": message}, headers=V1_0, timeout=60)

    refused = sent(half, half, base64.b64encode(b"x").decode())
    assert refused.status_code == 413
    assert "url part" in refused.text
    assert httpx.get(f"{echo_node.url}/v1/status", headers=echo_node.owner).json()["counts"] == before
    taken = sent(half, half)
    assert taken.status_code == 200
    assert [part["raw"] for part in taken.json()["task"]["artifacts"][0]["parts"]] == [half, half]
