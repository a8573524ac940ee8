"""The owner's token and the node's key stay in their own two files, whatever happens to the node."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from a2a.types import a2a_pb2 as pb
from a2a.types.a2a_pb2_grpc import A2AServiceStub

from csbond_tests.played_node import played
from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode, csb, free_port, new_home, running

SETTINGS = """
[memory]
semantic = "off"
[a2a]
grpc_port = {grpc_port}
[push]
allow_hosts = ["127.0.0.1"]
[log]
level = "debug"
"""
V1_0 = {"a2a-version": "1.0"}


@pytest.fixture
def node(tmp_path: Path) -> Iterator[RunningNode]:
    home = new_home(tmp_path / "home", SETTINGS.format(grpc_port=free_port()), domain="a.example")
    with running(home) as talkative:
        yield talkative


def secrets_of(node: RunningNode) -> dict[str, list[bytes]]:
    """What must not be seen, in the forms it may take, by the file that holds it."""
    seed = base64.b64decode(node.home.key_file.read_text().split()[-1] + "==")[-32:]
    token = node.home.owner_token()
    return {
        "owner.token": [token.encode(), base64.b64encode(token.encode())],
        "node.key": [seed, base64.b64encode(seed), base64.urlsafe_b64encode(seed).rstrip(b"="), seed.hex().encode()],
    }


def seen_in(content: bytes, secrets: dict[str, list[bytes]], but: str = "") -> list[str]:
    return [file for file, forms in secrets.items() if file != but and any(form in content for form in forms)]


def answers_of(node: RunningNode) -> Iterator[httpx.Response]:
    """Answers, good ones and errors, to somebody who shows the owner's token."""
    for path in (
        *("/health", "/identity.json", "/.well-known/agent-card.json", "/.well-known/jwks.json", "/openapi.json"),
        *("/extendedAgentCard", "/v1/card", "/v1/status", "/v1/principals", "/v1/memory", "/v1/continuity/threads"),
        *("/tasks", "/tasks/nothing", "/v1/memory/nothing", "/v1/memory?limit=x", "/nowhere"),
    ):
        yield httpx.get(node.url + path, headers={**node.owner, **V1_0})
        yield httpx.get(node.url + path, headers={**node.owner, "a2a-version": "9.9"})
    token = node.home.owner_token()
    for body in (
        b"{",
        b"[]",
        json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "nothing"}, "auth": token}
        ).encode(),
    ):
        yield httpx.post(node.url, content=body, headers={**node.owner, "content-type": "application/json"})
    yield httpx.post(f"{node.url}/v1/memory", json={"content": "The river was cold."}, headers=node.owner)
    yield httpx.post(f"{node.url}/v1/memory", json={"content": ""}, headers=node.owner)
    yield httpx.get(f"{node.url}/health", headers={"authorization": f"Basic {token}"})
    yield httpx.get(f"{node.url}/health", headers={"authorization": f"Bearer {token}x"})
    yield httpx.get(f"{node.url}/health?token={token}")


def spoken_to(node: RunningNode, webhook: str) -> None:
    """Messages, a webhook, gRPC, and commands."""
    message: dict[str, Any] = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "The river was cold."}]}
    body = {"message": message, "configuration": {"taskPushNotificationConfig": {"url": webhook}}}
    httpx.post(f"{node.url}/message:send", json=body, headers={**node.owner, **V1_0}).raise_for_status()
    port = next(line.split("=")[1] for line in node.home.settings_file.read_text().splitlines() if "grpc_port" in line)
    with grpc.insecure_channel(f"127.0.0.1:{port.strip()}") as channel:
        for token in (node.home.owner_token(), node.home.owner_token() + "x"):
            metadata = [("authorization", f"Bearer {token}"), ("a2a-version", "1.0")]
            with pytest.raises(grpc.RpcError) as refused:
                A2AServiceStub(channel).GetTask(pb.GetTaskRequest(id="nothing"), timeout=20, metadata=metadata)
            assert node.home.owner_token() not in str(refused.value)


@requirement("EDGE-007", "DRAFT-002", "A2A-CARD-007")
def test_the_owner_s_token_and_the_key_are_in_their_own_files_only(node: RunningNode) -> None:
    secrets = secrets_of(node)
    for answer in answers_of(node):
        headers = json.dumps(dict(answer.headers)).encode()
        assert seen_in(answer.content + headers, secrets) == [], answer.url
    with played() as hook:
        hook.answer("POST /hook", {})
        spoken_to(node, f"{hook.url}/hook")
        for _ in range(200):
            if hook.asked:
                break
            httpx.get(f"{node.url}/health")
        assert hook.asked
        assert [seen_in(json.dumps([each.body, each.headers]).encode(), secrets) for each in hook.asked] == [
            [] for _ in hook.asked
        ]
        for command in (("status", "--json"), ("doctor", "--json"), ("talk", hook.url, "hello")):
            ended = csb(node.home, *command)
            assert seen_in((ended.out + ended.err).encode(), secrets) == [], command
    files = [file for file in node.home.path.rglob("*") if file.is_file()]
    assert {"csb.db", "csb.db-wal", "owner.token", "node.key"} <= {file.name for file in files}
    for file in files:
        assert seen_in(file.read_bytes(), secrets, but=file.name) == [], file
    assert seen_in(node.log.read_bytes(), secrets) == []
