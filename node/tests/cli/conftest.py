"""Runs `csb` in this process, against a home whose node is played by a small HTTP server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from csbond.cli import main
from csbond.config.home import Home, create_home
from csbond.config.lock import hold_home
from csbond.config.system import SystemClock, SystemIdentifiers


@dataclass(frozen=True)
class Ended:
    """How a run of `csb` ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.err)["error"]
        return found


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

    def answer(self, call: str, document: Any, status: int = 200) -> None:
        """Answer a call such as `GET /health` with JSON, with bytes as they are, or with texts as a stream."""
        self.answers[call] = (status, document)

    @property
    def last(self) -> Asked:
        return self.asked[-1]


class Handler(BaseHTTPRequestHandler):
    played: Played

    def do_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Asked(self.command, self.path, json.loads(body) if body else None, dict(self.headers))
        self.played.asked.append(asked)
        rpc = f" {asked.body.get('method')}" if isinstance(asked.body, dict) and "jsonrpc" in asked.body else ""
        status, document = self.played.answers.get(
            f"{self.command} {self.path.partition('?')[0]}{rpc}", (404, {"error": {"code": "method_not_found"}})
        )
        if callable(document):
            document = document(asked)
        streamed = isinstance(document, list)
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        if streamed:
            content = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in document)
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_any

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def csb(capsys, monkeypatch) -> Callable[..., Ended]:
    monkeypatch.delenv("CSB_HOME", raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object) -> Ended:
        status = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Ended(status, shown.out, shown.err)

    return run


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return create_home(tmp_path / "home", "Heng", "", "", SystemClock(), SystemIdentifiers())


@pytest.fixture
def server() -> Iterator[Played]:
    """A played agent at an address of its own; it is nobody's home."""
    played = Played()
    handler = type("PlayedHandler", (Handler,), {"played": played})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        played.url = f"http://127.0.0.1:{listening.server_port}"
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield played
        listening.shutdown()
        thread.join()


@pytest.fixture
def node(home: Home, server: Played) -> Iterator[Played]:
    """The played node of the home, running."""
    with hold_home(home, SystemClock()) as held:
        held.announce(server.url)
        yield server
