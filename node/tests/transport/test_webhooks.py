"""Webhooks are called at public addresses, or at those the owner names, and nowhere else (A2A v1.0.1 §13.2)."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.push import PushConfig
from csbond.transport.webhooks import AllowedHosts, HttpWebhooks
from csbond_tests.requirements import requirement
from csbond_tests.speakers import SaidNo

PRIVATE = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.192",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::10.0.0.1",
    "2002:7f00:1::",
    "2001:0:7f00:1::80ff:fffe",
    "fc00::1",
    "fd00::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
]
PUBLIC = ["8.8.8.8", "93.184.216.34", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:2800:220:1::1", "2002:808:808::"]
SPELLINGS = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://localhost/",
    "http://LocalHost/",
    "http://0/",
    "https://127.0.0.1:8443/hook",
]
NO_ADDRESS = [
    "",
    "http://xn--/",
    "hooks.example/a2a",
    "ftp://hooks.example/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "http://",
    "http:///path",
    "http://user@hooks.example/",
    "http://user:password@hooks.example/",
    "http://hooks.example:99999/",
    "http://[::1",
    "javascript:alert(1)",
    "http://hooks\x00.example/",
    "http://hooks\r.example/",
    "http://hooks\n.example/",
    "https://hooks.example/" + "a" * 2_048,
]


def config(url: str, **facts: Any) -> PushConfig:
    return PushConfig("w", "t", url, **facts)


class Server:
    """A server that answers as a test says, and counts who comes."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        self.requests.append(head + await reader.readexactly(length))
        writer.write(self.answer)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def listening(answer: str = "HTTP/1.1 204 No Content\r\n\r\n", host: str = "127.0.0.1") -> AsyncIterator[Server]:
    played = Server(answer.encode())
    server = await asyncio.start_server(played.serve, host, 0)
    played.port = server.sockets[0].getsockname()[1]
    try:
        yield played
    finally:
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def webhooks(*allowed: str) -> AsyncIterator[HttpWebhooks]:
    made = HttpWebhooks(allowed, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))  # reading all authorities takes long
    try:
        yield made
    finally:
        await made.close()


async def refusal(answer: Any) -> str:
    with pytest.raises(CsbError) as refused:
        await answer
    return refused.value.code.name


@pytest.fixture
def names(monkeypatch) -> dict[str, list[list[str]]]:
    """Names and what they resolve to, time after time; the last answer goes on."""
    known: dict[str, list[list[str]]] = {}
    real = asyncio.BaseEventLoop.getaddrinfo

    async def getaddrinfo(self, host: Any, port: Any, **facts: Any) -> Any:
        if host not in known:
            return await real(self, host, port, **facts)
        answers = known[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        families = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in found]
        return [
            (family, socket.SOCK_STREAM, 6, "", (address, port))
            for family, address in zip(families, found, strict=True)
        ]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
    return known


@requirement("A2A-PUSH-008", "FAULT-02")
@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_not_admitted(address: str) -> None:
    assert not AllowedHosts(()).admits("hooks.example", ipaddress.ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_admitted(address: str) -> None:
    assert AllowedHosts(()).admits("hooks.example", ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "allowed, host, address, admitted",
    [
        ("127.0.0.1", "x", "127.0.0.1", True),
        ("127.0.0.1", "x", "::ffff:127.0.0.1", True),
        ("127.0.0.1", "x", "127.0.0.2", False),
        ("10.0.0.0/8", "x", "10.9.9.9", True),
        ("10.0.0.0/8", "x", "192.168.0.1", False),
        ("hooks.internal", "hooks.internal", "10.0.0.1", True),
        ("hooks.internal", "HOOKS.Internal", "10.0.0.1", True),
        ("hooks.internal", "other.internal", "10.0.0.1", False),
        ("::1", "x", "::1", True),
    ],
)
def test_the_owner_may_allow_names_addresses_and_networks(allowed, host, address, admitted: bool) -> None:
    assert AllowedHosts([allowed]).admits(host, ipaddress.ip_address(address)) is admitted


@requirement("A2A-PUSH-008", "FAULT-02")
@pytest.mark.parametrize("url", SPELLINGS)
async def test_a_private_address_is_refused_however_it_is_spelled(url: str) -> None:
    async with webhooks() as hooks:
        assert await refusal(hooks.check(url)) == "webhook_refused"
        assert await refusal(hooks.post(config(url), b"{}")) == "webhook_refused"


@requirement("A2A-PUSH-008")
@pytest.mark.parametrize("url", NO_ADDRESS)
async def test_what_is_no_web_address_is_refused(url: str) -> None:
    async with webhooks() as hooks:
        assert await refusal(hooks.check(url)) == "webhook_refused"
        assert await refusal(hooks.post(config(url), b"{}")) == "webhook_refused"


@requirement("A2A-PUSH-008", "FAULT-02")
async def test_a_refused_address_is_never_contacted() -> None:
    async with listening() as server, webhooks() as hooks:
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"):
            url = f"http://{host}:{server.port}/"
            assert await refusal(hooks.check(url)) == "webhook_refused"
            assert await refusal(hooks.post(config(url), b"{}")) == "webhook_refused"
    assert server.connections == 0


@requirement("A2A-PUSH-008", "FAULT-02")
async def test_a_name_that_changes_between_the_check_and_the_call_is_not_contacted(names) -> None:
    async with listening() as server, webhooks() as hooks:
        names["hooks.example"] = [["93.184.216.34"], ["127.0.0.1"]]
        url = f"http://hooks.example:{server.port}/"
        await hooks.check(url)
        assert await refusal(hooks.post(config(url), b"{}")) == "webhook_refused"
    assert server.connections == 0


@requirement("A2A-PUSH-008", "FAULT-02")
async def test_a_name_with_one_private_address_among_public_ones_is_not_contacted(names) -> None:
    async with listening() as server, webhooks() as hooks:
        names["hooks.example"] = [["93.184.216.34", "127.0.0.1"]]
        url = f"http://hooks.example:{server.port}/"
        assert await refusal(hooks.check(url)) == "webhook_refused"
        assert await refusal(hooks.post(config(url), b"{}")) == "webhook_refused"
    assert server.connections == 0


@requirement("A2A-PUSH-008", "FAULT-02")
async def test_a_call_goes_to_the_very_address_that_was_looked_at(names) -> None:
    async with listening() as server, webhooks("hooks.internal") as hooks:
        names["hooks.internal"] = [["127.0.0.1"], ["203.0.113.1"]]
        assert await hooks.post(config(f"http://hooks.internal:{server.port}/"), b"{}") is True
    assert f"host: hooks.internal:{server.port}".encode() in server.requests[0].lower()


@requirement("A2A-PUSH-008", "FAULT-02")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    async with listening() as inside:
        moved = f"HTTP/1.1 {status} Moved\r\nlocation: http://127.0.0.2:{inside.port}/\r\ncontent-length: 0\r\n\r\n"
        async with listening(moved) as outside, webhooks("127.0.0.1") as hooks:
            assert await hooks.post(config(f"http://127.0.0.1:{outside.port}/"), b"{}") is False
    assert (outside.connections, inside.connections) == (1, 0)


@requirement("A2A-PUSH-008", "FAULT-02")
@pytest.mark.parametrize("place", ["mailto:a@b", "http://xn--/"])
async def test_a_webhook_that_sends_on_to_no_address_did_not_take_it(place: str) -> None:
    moved = f"HTTP/1.1 302 Moved\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n"
    async with listening(moved) as outside, webhooks("127.0.0.1") as hooks:
        assert await hooks.post(config(f"http://127.0.0.1:{outside.port}/"), b"{}") is False


@requirement("A2A-PUSH-005", "A2A-PUSH-006")
@pytest.mark.parametrize("dialect, media_type", [("1.0", "application/a2a+json"), ("0.3", "application/json")])
async def test_a_notification_carries_its_body_its_token_and_its_credentials(dialect: str, media_type: str) -> None:
    facts = {"token": "seen-before", "scheme": "Basic", "credentials": "dXNlcjpw", "dialect": dialect}
    async with listening() as server, webhooks("127.0.0.1") as hooks:
        assert await hooks.post(config(f"http://127.0.0.1:{server.port}/a?b=c", **facts), b'{"a":1}') is True
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    assert lines[0] == "POST /a?b=c HTTP/1.1"
    assert body == b'{"a":1}'
    assert headers["content-type"] == media_type
    assert headers["x-a2a-notification-token"] == "seen-before"
    assert headers["authorization"] == "basic dxnlcjpw"


@requirement("A2A-PUSH-006")
async def test_a_webhook_without_credentials_is_sent_none() -> None:
    async with listening() as server, webhooks("127.0.0.1") as hooks:
        await hooks.post(config(f"http://127.0.0.1:{server.port}/"), b"{}")
    assert b"authorization" not in server.requests[0].lower()
    assert b"x-a2a-notification-token" not in server.requests[0].lower()


@requirement("A2A-PUSH-007")
@pytest.mark.parametrize(
    "status, took", [(200, True), (202, True), (204, True), (400, False), (404, False), (500, False)]
)
async def test_only_a_2xx_answer_means_that_it_was_taken(status: int, took: bool) -> None:
    answer = f"HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n"
    async with listening(answer) as server, webhooks("127.0.0.1") as hooks:
        assert await hooks.post(config(f"http://127.0.0.1:{server.port}/"), b"{}") is took


@requirement("A2A-PUSH-007")
@pytest.mark.parametrize("answer", ["", "not http at all\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-le"])
async def test_a_broken_answer_is_a_reason_to_try_again(answer: str) -> None:
    async with listening(answer) as server, webhooks("127.0.0.1") as hooks:
        assert await refusal(hooks.post(config(f"http://127.0.0.1:{server.port}/"), b"{}")) == "peer_unreachable"


@requirement("A2A-PUSH-007")
async def test_nobody_there_is_a_reason_to_try_again() -> None:
    async with listening() as server:
        port = server.port
    async with webhooks("127.0.0.1") as hooks:
        assert await refusal(hooks.post(config(f"http://127.0.0.1:{port}/"), b"{}")) == "peer_unreachable"


async def test_a_name_that_is_not_known_yet_may_be_set_and_is_looked_at_before_each_call() -> None:
    async with webhooks() as hooks:
        await hooks.check("https://no-such-host.invalid/")
        assert await refusal(hooks.post(config("https://no-such-host.invalid/"), b"{}")) == "peer_unreachable"


@requirement("A2A-PUSH-001", "A2A-PUSH-005", "A2A-PUSH-010")
async def test_a_node_calls_the_webhook_of_a_task(serve, speak, binding) -> None:
    async with listening() as server:
        node = await serve(allow_hosts=("127.0.0.1",), grpc=binding.startswith("grpc"))
        speaker = await speak(node, binding, node.token)
        message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}
        hook = {"id": "w", "url": f"http://127.0.0.1:{server.port}/", "token": "seen-before"}
        task = (await speaker.send(message, taskPushNotificationConfig=hook))["task"]
        async with asyncio.timeout(10):
            while not server.requests:
                await asyncio.to_thread(lambda: None)
    assert b"x-a2a-notification-token: seen-before" in server.requests[0].lower()
    assert task["id"].encode() in server.requests[0]
    older = binding.endswith("0.3")
    assert (b'"kind":"task"' if older else b'{"task":{') in server.requests[0]


@requirement("A2A-DATA-007", "FAULT-02")
async def test_a_url_part_is_passed_on_and_never_fetched(node, speak, binding) -> None:
    async with listening() as server:
        part = {
            "url": f"http://127.0.0.1:{server.port}/file.pdf",
            "mediaType": "application/pdf",
            "filename": "file.pdf",
        }
        speaker = await speak(node, binding, await node.somebody())
        message = {"messageId": "m", "role": "ROLE_USER", "parts": [part, {"text": "end"}]}
        task = (await speaker.send(message))["task"]
        assert task["history"][0]["parts"][0] == part
    assert server.connections == 0


@requirement("A2A-PUSH-006")
@pytest.mark.parametrize("odd", ["gehëim", "a\r\nx-evil: 1", "\x00", "令牌"])
@pytest.mark.parametrize("place", ["token", "scheme", "credentials"])
async def test_a_secret_that_cannot_stand_in_a_header_is_refused_when_it_is_set(
    node, speak, odd: str, place: str
) -> None:
    speaker = await speak(node, "json-rpc 1.0", await node.somebody())
    task = (await speaker.send({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}))["task"]
    authentication = {"scheme": "Bearer", "credentials": "c"} | ({place: odd} if place != "token" else {})
    hook = {"id": "w", "url": "https://hooks.example/", "authentication": authentication}
    with pytest.raises(SaidNo) as refused:
        await speaker.push_create(task["id"], hook | ({"token": odd} if place == "token" else {}))
    assert refused.value.name == "invalid_params"
