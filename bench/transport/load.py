"""The client: the same few lines of HTTP/1.1 for every server, fast enough not to be what is measured.

An HTTP library costs more than the servers it would measure, so a request is one write of ready bytes and an answer
is read by httptools. Answers are kept and verified after the clock has stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import httptools
import orjson

TIMEOUT_S = 60.0
"""Seconds one answer may take: far more than any server here needs."""


class Spoiled(Exception):
    """A run that measures nothing: a server that does not start or follow, or an answer that is wrong."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the bytes to write, and the text its answer must give back."""

    text: str
    wire: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, and when: seconds from the first byte written."""

    status: int
    body: bytes
    first_byte_s: float
    seconds: float


@dataclass(slots=True)
class Window:
    """One stretch of load on one server."""

    seconds: float
    answers: list[tuple[Request, Answer]] = field(default_factory=list)

    @property
    def latencies(self) -> list[float]:
        """Seconds of each answer."""
        return [answer.seconds for _request, answer in self.answers]

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return len(self.answers) / self.seconds


class Connection(asyncio.Protocol):
    """A connection that is kept alive; one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._waiting: asyncio.Future[Answer] | None = None
        self._body: list[bytes] = []
        self._began = self._first = 0.0

    async def ask(self, request: Request) -> Answer:
        """The whole answer to a request; ConnectionError when the server hangs up first."""
        if self._transport is None:
            raise ConnectionError("the connection is closed")
        self._waiting = asyncio.get_running_loop().create_future()
        self._body, self._first = [], 0.0
        self._began = perf_counter()
        self._transport.write(request.wire)
        return await self._waiting

    def close(self) -> None:
        """Hang up."""
        if self._transport:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Part of asyncio.Protocol."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Part of asyncio.Protocol."""
        self._transport = None
        if self._waiting and not self._waiting.done():
            self._waiting.set_exception(ConnectionError(f"the server hung up: {exc}"))

    def data_received(self, data: bytes) -> None:
        """Part of asyncio.Protocol."""
        self._first = self._first or perf_counter()
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        """Part of what httptools calls."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Part of what httptools calls; the next answer needs a parser that knows nothing of this one."""
        now = perf_counter()
        status = self._parser.get_status_code()
        self._parser = httptools.HttpResponseParser(self)
        if self._waiting and not self._waiting.done():
            answer = Answer(status, b"".join(self._body), self._first - self._began, now - self._began)
            self._waiting.set_result(answer)


def send_request(port: int, method: str, text: str, name: str) -> Request:
    """A SendMessage or SendStreamingMessage of A2A v1.0 over JSON-RPC."""
    message = {"messageId": f"bench-message-{name}", "role": "ROLE_USER", "parts": [{"text": text}]}
    body = orjson.dumps({"jsonrpc": "2.0", "id": name, "method": method, "params": {"message": message}})
    return Request(text, _head(port, "POST /", f"Content-Length: {len(body)}\r\nA2A-Version: 1.0\r\n") + body)


def get_request(port: int, path: str, token: str = "") -> Request:
    """A GET of a document, with a bearer token where one is given."""
    return Request("", _head(port, f"GET {path}", f"Authorization: Bearer {token}\r\n" if token else ""))


def _head(port: int, line: str, more: str) -> bytes:
    fixed = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    return f"{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fixed}{more}\r\n".encode("ascii")


async def connect(port: int) -> Connection:
    """A connection to a server of this machine."""
    _transport, connection = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", port)
    return connection


async def ask_once(port: int, request: Request) -> Answer:
    """One request on a connection of its own."""
    connection = await connect(port)
    try:
        return await asyncio.wait_for(connection.ask(request), TIMEOUT_S)
    finally:
        connection.close()


async def load(port: int, requests: Iterator[Request], concurrency: int, seconds: float) -> Window:
    """Ask for a while over so many connections, each with one request under way."""
    connections = [await connect(port) for _ in range(concurrency)]
    answers: list[tuple[Request, Answer]] = []
    began = perf_counter()

    async def ask_on(connection: Connection) -> None:
        for request in requests:
            answers.append((request, await connection.ask(request)))
            if perf_counter() - began >= seconds:
                return

    try:
        async with asyncio.timeout(seconds + TIMEOUT_S):
            await asyncio.gather(*(ask_on(connection) for connection in connections))
    finally:
        for connection in connections:
            connection.close()
    return Window(perf_counter() - began, answers)


def check_answer(request: Request, answer: Answer) -> None:
    """Nothing, when the answer is a completed task that gives the text back; Spoiled otherwise."""
    task = _result(answer).get("task", {})
    said = [part.get("text") for artifact in task.get("artifacts", []) for part in artifact.get("parts", [])]
    if task.get("status", {}).get("state") != "TASK_STATE_COMPLETED" or said != [request.text]:
        raise Spoiled(f"not a completed task with the text in it: {answer.body[:500]!r}")


def check_stream(request: Request, answer: Answer, chunks: int) -> None:
    """Nothing, when the stream began with the task, held every chunk and ended completed; Spoiled otherwise."""
    if answer.status != 200:
        raise Spoiled(f"status {answer.status}: {answer.body[:500]!r}")
    lines = answer.body.replace(b"\r\n", b"\n").split(b"\n")
    events = [orjson.loads(line[5:])["result"] for line in lines if line.startswith(b"data:")]
    grown = [event["artifactUpdate"]["artifact"]["parts"] for event in events if "artifactUpdate" in event]
    ended = events[-1].get("statusUpdate", {}).get("status", {}).get("state")
    if "task" not in events[0] or ended != "TASK_STATE_COMPLETED":
        raise Spoiled(f"not a whole stream: {str(events[0])[:300]} … {str(events[-1])[:300]}")
    if grown != [[{"text": request.text}]] * chunks:
        raise Spoiled(f"{len(grown)} chunks instead of {chunks}, or other ones")


def _result(answer: Answer) -> dict[str, Any]:
    if answer.status != 200:
        raise Spoiled(f"status {answer.status}: {answer.body[:500]!r}")
    found = orjson.loads(answer.body)
    if not isinstance(found.get("result"), dict):
        raise Spoiled(f"no result: {answer.body[:500]!r}")
    result: dict[str, Any] = found["result"]
    return result
