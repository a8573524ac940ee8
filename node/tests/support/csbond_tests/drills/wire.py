"""HTTP/1.1 by hand over one kept-alive connection: it can vanish, stall and stop in the middle, as no client may."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Answer", "Gone", "Refusal", "Wire", "text_message"]

Json = dict[str, Any]
_BUFFER_MAX = 1024 * 1024
"""Bytes of one line or event at most."""


class Gone(Exception):
    """The server is not there any more, or hung up before the answer was whole."""


class Refusal(Exception):
    """The server answered with an error: its HTTP status and the body."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Wire:
    """A connection to a node of this machine; one request at a time."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        token: str = "",
        among: set[Wire] | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._token = token
        self._among = set() if among is None else among
        self._among.add(self)

    @classmethod
    async def open(cls, port: int, token: str = "", *, receive_bytes: int = 0, among: set[Wire] | None = None) -> Wire:
        """Connect; `Gone` when nobody listens.

        A small receive buffer makes a reader who stops reading felt soon; `among` holds the wire until it vanishes.
        """
        own = socket.socket()
        own.setblocking(False)
        if receive_bytes:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        try:
            await asyncio.get_running_loop().sock_connect(own, ("127.0.0.1", port))
            reader, writer = await asyncio.open_connection(sock=own, limit=receive_bytes or _BUFFER_MAX)
        except OSError as fault:
            own.close()
            raise Gone("nobody listens") from fault
        return cls(reader, writer, token, among)

    async def ask(self, verb: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer to one request, whatever its status."""
        status, found = await self._begin(verb, path, body, headers or {})
        raw = await self._body(found)
        media_type = found.get("content-type", "")
        is_json = "json" in media_type and "ndjson" not in media_type
        return Answer(status, found, json.loads(raw) if raw and is_json else raw)

    async def good(self, verb: str, path: str, body: Any = None) -> Any:
        """The body of a good answer; `Refusal` for another."""
        answer = await self.ask(verb, path, body)
        if answer.status >= 400:
            raise Refusal(answer.status, answer.body)
        return answer.body

    async def call(self, method: str, params: Json) -> Json:
        """The result of a JSON-RPC call of A2A v1.0; `Refusal` for an error."""
        answer = await self.ask("POST", "/", _rpc(method, params))
        return _result(answer.status, answer.body)

    async def follow(self, method: str, params: Json) -> AsyncIterator[Json]:
        """The results of a streamed call; `Refusal` for an error, `Gone` for a stream that breaks off."""
        status, headers = await self._begin("POST", "/", _rpc(method, params), {})
        if not headers.get("content-type", "").startswith("text/event-stream"):
            raise Refusal(status, json.loads(await self._body(headers)))
        async for event in self._events():
            yield _result(status, event)

    async def request(self) -> Any:
        """The JSON body of the next request, where this end of the connection is the server."""
        _, headers = await self._lines()
        return json.loads(await self._body(headers))

    async def say(self, raw: bytes) -> None:
        """Write bytes as they are."""
        try:
            self._writer.write(raw)
            await self._writer.drain()
        except OSError as fault:
            raise Gone(str(fault)) from fault

    async def rest(self) -> bytes:
        """All bytes until the server hangs up."""
        try:
            return await self._reader.read()
        except OSError as fault:
            raise Gone(str(fault)) from fault

    def vanish(self, *, reset: bool = False) -> None:
        """Hang up without a word: closed as by a process that ended, or reset as by a machine that lost its way."""
        if reset:
            own = self._writer.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self._writer.transport.abort()
        self._among.discard(self)

    def stall(self) -> None:
        """Read no further byte from the network; what is underway fills the buffers and stays there."""
        transport = self._writer.transport
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()

    def read_on(self) -> None:
        """Read again after a stall."""
        transport = self._writer.transport
        assert isinstance(transport, asyncio.Transport)
        transport.resume_reading()

    async def _begin(
        self, verb: str, path: str, body: Any, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str]]:
        raw = b"" if body is None else json.dumps(body).encode()
        lines = [f"{verb} {path} HTTP/1.1", "host: node", "a2a-version: 1.0", f"content-length: {len(raw)}"]
        lines += ["content-type: application/json"] if raw else []
        lines += [f"authorization: Bearer {self._token}"] if self._token else []
        lines += [f"{name}: {value}" for name, value in headers.items()]
        await self.say("\r\n".join([*lines, "", ""]).encode() + raw)
        return await self._head()

    async def _head(self) -> tuple[int, Mapping[str, str]]:
        first, headers = await self._lines()
        return int(first.split(" ")[1]), headers

    async def _lines(self) -> tuple[str, Mapping[str, str]]:
        first, *lines = (await self._until(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines if line)
        return first, {name.lower(): value.strip() for name, _, value in pairs}

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if "content-length" in headers:
            return await self._exactly(int(headers["content-length"]))
        return b"".join([chunk async for chunk in self._chunks()])

    async def _events(self) -> AsyncIterator[Any]:
        waiting = b""
        async for chunk in self._chunks():
            *whole, waiting = (waiting + chunk).split(b"\n\n")
            for event in whole:
                data = [line[5:] for line in event.split(b"\n") if line.startswith(b"data:")]
                if data:
                    yield json.loads(b"\n".join(data))

    async def _chunks(self) -> AsyncIterator[bytes]:
        while size := int(await self._until(b"\r\n"), 16):
            yield await self._exactly(size)
            await self._exactly(2)
        await self._exactly(2)

    async def _until(self, end: bytes) -> bytes:
        try:
            return await self._reader.readuntil(end)
        except (OSError, EOFError) as fault:
            raise Gone(str(fault)) from fault

    async def _exactly(self, size: int) -> bytes:
        try:
            return await self._reader.readexactly(size)
        except (OSError, EOFError) as fault:
            raise Gone(str(fault)) from fault


def text_message(id_: str, text: str, **more: Any) -> Json:
    """Params of a message of one text."""
    return {"message": {"messageId": id_, "role": "ROLE_USER", "parts": [{"text": text}], **more}}


def _rpc(method: str, params: Json) -> Json:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _result(status: int, body: Any) -> Json:
    if "result" not in body:
        raise Refusal(status, body)
    found: Json = body["result"]
    return found
