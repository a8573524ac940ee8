"""A small HTTP server that plays a node or another agent: what it was asked, and what it shall answer."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["NO_ADDRESSES", "Asked", "Played", "played"]

NO_ADDRESSES = ("mailto:a@b", "http://xn--/", "http://a:b/", f"http://{'a' * 64}.example/")
"""Where nobody can be sent on to; the HTTP client says so in different ways, or not at all."""


@dataclass(frozen=True)
class Asked:
    """One request the played node was sent."""

    method: str
    path: str
    body: Any
    headers: dict[str, str]


@dataclass
class Played:
    """The node that is played: what it was asked, and what it answers to a method and a path without its query."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    """Where a call is sent on to."""

    def answer(self, call: str, document: Any, status: int = 200) -> None:
        """Answer a call such as `GET /health` with JSON, with bytes as they are, or with texts as a stream.

        A function answers by what it is asked, and with another status as a pair.
        """
        self.answers[call] = (status, document)

    def redirect(self, call: str, url: str) -> None:
        """Send those who call on to another address."""
        self.answers[call] = (307, {})
        self.places[call] = url

    @property
    def last(self) -> Asked:
        return self.asked[-1]


class Handler(BaseHTTPRequestHandler):
    played: Played

    def do_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Asked(self.command, self.path, _value_of(body), dict(self.headers))
        self.played.asked.append(asked)
        rpc = f" {asked.body.get('method')}" if isinstance(asked.body, dict) and "jsonrpc" in asked.body else ""
        status, document = self.played.answers.get(
            f"{self.command} {self.path.partition('?')[0]}{rpc}", (404, {"error": {"code": "method_not_found"}})
        )
        if callable(document):
            document = document(asked)
        if isinstance(document, tuple):
            status, document = document
        streamed = isinstance(document, list)
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        if streamed:
            content = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in document)
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Content-Length", str(len(content)))
        if place := self.played.places.get(f"{self.command} {self.path}"):
            self.send_header("Location", place)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_any

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _value_of(body: bytes) -> Any:
    """What a body says as JSON; the body itself where it is none, and None without one."""
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body


@contextmanager
def played(tls: ssl.SSLContext | None = None) -> Iterator[Played]:
    """A played node at an address of this machine, until the block ends."""
    plays = Played()
    handler = type("PlayedHandler", (Handler,), {"played": plays})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        if tls:
            listening.socket = tls.wrap_socket(listening.socket, server_side=True)
        plays.url = f"{'https' if tls else 'http'}://127.0.0.1:{listening.server_port}"
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield plays
        finally:
            listening.shutdown()
            thread.join()
