"""What a webhook answers costs this node neither time nor memory."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from csbond.protocol.errors import Unavailable
from csbond.protocol.messages.push import PushConfig
from csbond.transport.webhooks import HttpWebhooks
from csbond_tests.requirements import requirement


class EndlessServer:
    """A server that goes on sending until the other side leaves."""

    def __init__(self, answer: bytes, piece: bytes) -> None:
        self.answer = answer
        self.port = 0
        self.piece = piece
        self.pieces = 0
        self.left = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(self.answer)
        with suppress(OSError):
            while self.pieces < 1_000 and not writer.transport.is_closing():
                writer.write(self.piece)
                self.pieces += 1
                await writer.drain()
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(), 0.01)
        writer.transport.abort()
        self.left.set()


@asynccontextmanager
async def sending_on(answer: str, piece: bytes) -> AsyncIterator[EndlessServer]:
    played = EndlessServer(answer.encode(), piece)
    server = await asyncio.start_server(played.serve, "127.0.0.1", 0)
    played.port = server.sockets[0].getsockname()[1]
    try:
        yield played
    finally:
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def webhooks(**facts: Any) -> AsyncIterator[HttpWebhooks]:
    made = HttpWebhooks(("127.0.0.1",), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), **facts)
    try:
        yield made
    finally:
        await made.close()


@requirement("A2A-PUSH-007", "FAULT-02")
@pytest.mark.parametrize("coding", ["", "content-encoding: gzip\r\n"])
async def test_the_body_of_an_answer_is_not_read(coding: str) -> None:
    head = f"HTTP/1.1 200 OK\r\n{coding}content-length: 400000000\r\n\r\n"
    async with sending_on(head, b"y" * 100_000) as server, webhooks() as hooks:
        async with asyncio.timeout(5):
            assert await hooks.post(PushConfig("w", "t", f"http://127.0.0.1:{server.port}/"), b"{}") is True
            await server.left.wait()
    assert server.pieces < 100


@requirement("A2A-PUSH-007", "FAULT-02")
async def test_an_answer_whose_head_never_ends_is_given_up() -> None:
    head = "HTTP/1.1 200 OK\r\nx-slow: "
    async with sending_on(head, b"y") as server, asyncio.timeout(5), webhooks(timeout_s=0.2) as hooks:
        with pytest.raises(Unavailable) as gave_up:
            await hooks.post(PushConfig("w", "t", f"http://127.0.0.1:{server.port}/"), b"{}")
        await server.left.wait()
    assert gave_up.value.code.name == "peer_unreachable"
