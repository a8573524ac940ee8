"""A stream of server-sent events that notices a reader who left, and one who stopped reading."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send

from csbond.transport.limits import TransportLimits

HANG_UP = "csbond.hang_up"
"""The extension of the ASGI scope by which a server cuts a connection, whatever is still to be written: `now()`."""
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


def event_bytes(data: Any, name: str = "") -> bytes:
    """One event; JSON holds no line end, so the data is one line."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + orjson.dumps(data) + b"\n\n"


class EventStream:
    """An ASGI response that sends events until they end, the reader leaves, or the reader takes nothing more."""

    def __init__(self, events: AsyncIterator[bytes], limits: TransportLimits) -> None:
        self._events = events
        self._limits = limits
        self._sending = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream; closing the source is part of every ending."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        pump = asyncio.ensure_future(self._pump(send))
        gone = asyncio.ensure_future(_disconnected(receive))
        stalled = False
        try:
            while not pump.done():
                done, _ = await asyncio.wait(
                    {pump, gone}, timeout=self._limits.stream_ping_s, return_when=asyncio.FIRST_COMPLETED
                )
                if gone in done:
                    break
                if not done:
                    await self._send(send, b": still here\n\n")
            stalled = pump.done() and isinstance(pump.exception(), TimeoutError)
        except TimeoutError:
            stalled = True
        finally:
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
            if stalled:
                await _hang_up(scope, gone)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)

    async def _pump(self, send: Send) -> None:
        async with aclosing(self._events) as events:  # type: ignore[type-var]
            async for event in events:
                await self._send(send, event)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, send: Send, body: bytes) -> None:
        async with self._sending, asyncio.timeout(self._limits.stream_write_timeout_s):
            await send({"type": "http.response.body", "body": body, "more_body": True})


async def _hang_up(scope: Scope, gone: asyncio.Future[None]) -> None:
    """Cut the connection, where the server can: to close it would wait for the reader."""
    cut = scope.get("extensions", {}).get(HANG_UP)
    if cut:
        cut["now"]()
        await asyncio.wait({gone})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
