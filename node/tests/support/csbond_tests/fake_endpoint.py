"""An HTTP endpoint on loopback that answers by a script: it streams, stalls, breaks off, and takes notes."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

__all__ = ["BREAK_OFF", "STALL", "FakeEndpoint", "Recorded", "Scripted", "fake_endpoint", "sse"]

STALL = object()
"""In a body: say nothing more, and keep the connection."""
BREAK_OFF = object()
"""In a body: close the connection without its end."""


@dataclass(frozen=True)
class Scripted:
    """One answer: status, headers, and a body in pieces."""

    body: Sequence[bytes | str | object] = ()
    status: int = 200
    media_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Recorded:
    """One call as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class FakeEndpoint:
    """Where it is, what it will answer, and what it was asked; the last answer is repeated."""

    url: str = ""
    script: list[Scripted] = field(default_factory=list)
    calls: list[Recorded] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the calls of one connection."""
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._answer_one(reader, writer):
                pass
        writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:]) if name}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.calls.append(Recorded(method, path, headers, body))
        reply = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        sent = {"Content-Type": reply.media_type, "Transfer-Encoding": "chunked"} | reply.headers
        lines = [f"HTTP/1.1 {reply.status} Scripted", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
        writer.write("\r\n".join(lines).encode())
        for piece in reply.body:
            if piece is STALL:
                await writer.drain()
                await asyncio.Event().wait()
            if piece is BREAK_OFF:
                return False
            data = piece.encode() if isinstance(piece, str) else piece
            assert isinstance(data, bytes)
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


@asynccontextmanager
async def fake_endpoint(*script: Scripted, tls: ssl.SSLContext | None = None) -> AsyncIterator[FakeEndpoint]:
    """Run an endpoint that answers by the script, for as long as the block."""
    endpoint = FakeEndpoint(script=list(script))
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        await endpoint.serve(reader, writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    origin = "https://localhost" if tls else "http://127.0.0.1"
    endpoint.url = f"{origin}:{server.sockets[0].getsockname()[1]}"
    try:
        yield endpoint
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


def sse(*words: str, end: bool = True) -> list[str]:
    """Return the body of a streamed chat answer, a word a chunk."""
    chunks = [
        json.dumps({"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}) for word in words
    ]
    closing = [json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}), "[DONE]"] if end else []
    return [f"data: {chunk}\n\n" for chunk in chunks + closing]
