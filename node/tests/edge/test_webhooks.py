"""Webhooks are called over the real sender, and never inside a private network unless the owner allows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from csbond_tests.played_node import Played, played
from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode, new_home, running

SETTINGS = """
[memory]
semantic = "off"
[push]
allow_hosts = ["localhost"]
[skill]
kind = "echo"
"""
V1_0 = {"a2a-version": "1.0"}
PRIVATE = [
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[::127.0.0.1]",
    "[fe80::1]",
    "[fec0::1]",
    "[fd00::1]",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "224.0.0.1",
    "255.255.255.255",
]


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[RunningNode]:
    """A node whose owner allows one private name."""
    with running(new_home(folder / "home", SETTINGS)) as allowing:
        yield allowing


@pytest.fixture
def server() -> Iterator[Played]:
    with played() as listening:
        listening.answer("POST /hook", {})
        yield listening


def port_of(server: Played) -> int:
    return urlsplit(server.url).port or 0


def send(node: RunningNode, url: str = "") -> httpx.Response:
    """The answer to a message, with a webhook for its task."""
    body: dict[str, Any] = {"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "hello"}]}}
    if url:
        body["configuration"] = {"taskPushNotificationConfig": {"url": url, "token": "t-1"}}
    return httpx.post(f"{node.url}/message:send", json=body, headers=V1_0)


def is_refused(answer: httpx.Response) -> bool:
    return answer.status_code == 400 and '"WEBHOOK_REFUSED"' in answer.text


@requirement("A2A-PUSH-008", "FAULT-02")
@pytest.mark.parametrize("host", PRIVATE)
def test_a_private_address_is_refused_however_it_is_written(node: RunningNode, server: Played, host: str) -> None:
    before = httpx.get(f"{node.url}/v1/status", headers=node.owner).json()["counts"]
    assert is_refused(send(node, f"http://{host}:{port_of(server)}/hook"))
    assert httpx.get(f"{node.url}/v1/status", headers=node.owner).json()["counts"] == before
    assert server.asked == []


@requirement("A2A-PUSH-008", "FAULT-02")
def test_it_is_refused_whichever_way_it_is_set(node: RunningNode, server: Played) -> None:
    task = send(node).json()["task"]["id"]
    url = f"http://127.0.0.1:{port_of(server)}/hook"
    assert is_refused(httpx.post(f"{node.url}/tasks/{task}/pushNotificationConfigs", json={"url": url}, headers=V1_0))
    old = {
        "method": "tasks/pushNotificationConfig/set",
        "params": {"taskId": task, "pushNotificationConfig": {"url": url}},
    }
    new = {"method": "CreateTaskPushNotificationConfig", "params": {"taskId": task, "url": url}}
    for call, headers in ((old, {}), (new, V1_0)):
        answer = httpx.post(node.url, json={"jsonrpc": "2.0", "id": 1, **call}, headers=headers)
        assert answer.json()["error"]["code"] == -32064
    assert server.asked == []


@requirement("A2A-PUSH-008")
@pytest.mark.parametrize(
    "url",
    ["ftp://localhost/", "file:///etc/passwd", "http://user:pw@localhost/", "//localhost/", "localhost", "http://"],
)
def test_what_is_no_plain_web_address_is_refused(node: RunningNode, url: str) -> None:
    assert is_refused(send(node, url))


@requirement("A2A-PUSH-007", "A2A-PUSH-006")
def test_a_name_the_owner_allows_is_called_with_the_token_of_the_webhook(node: RunningNode, server: Played) -> None:
    assert send(node, f"http://localhost:{port_of(server)}/hook").status_code == 200
    until_asked(node, server)
    (asked,) = server.asked
    assert (asked.path, asked.headers["x-a2a-notification-token"]) == ("/hook", "t-1")


@requirement("A2A-PUSH-008", "FAULT-02")
def test_a_redirect_is_not_followed(node: RunningNode, server: Played) -> None:
    with played() as inside:
        server.redirect("POST /hook", f"{inside.url}/secret")
        send(node, f"http://localhost:{port_of(server)}/hook")
        until_asked(node, server)
        httpx.get(f"{node.url}/health")
        assert inside.asked == []
        assert {asked.path for asked in server.asked} == {"/hook"}


def until_asked(node: RunningNode, server: Played) -> None:
    """Keep the node answering until the server was asked."""
    for _ in range(400):
        if server.asked:
            return
        httpx.get(f"{node.url}/health")
    raise AssertionError(node.said())
