"""The HTTP server: uvicorn, with a limit for slow heads, an orderly end, and certificates that can be renewed."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from csbond.protocol.errors import LocalProtocolError
from csbond.transport.server_tls import ServerTls

Drain = Callable[[], Awaitable[None]]

_LATE_HEAD = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b'content-length: 79\r\n\r\n{"error":{"code":"request_timeout","reason":"the head of the request is late"}}'
)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where and how to listen."""

    host: str
    port: int
    header_timeout_s: float = 10.0
    """Seconds until the head of a request must be complete."""
    keep_alive_s: int = 65
    """Seconds an idle connection stays open: a little more than common proxies keep theirs."""
    drain_s: float = 20.0
    """Seconds running requests get to end."""
    tls: ServerTls | None = None
    """The certificate to show; None: plain HTTP."""


def patient_protocol(header_timeout_s: float) -> type[HttpToolsProtocol]:
    """An HTTP protocol that closes a connection whose request head does not come in time."""

    class PatientProtocol(HttpToolsProtocol):
        """Counts from the first byte of the connection, and of each further request on it."""

        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait_for_head()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._wait_for_head()

        def on_headers_complete(self) -> None:
            self._stop_waiting()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _wait_for_head(self) -> None:
            self._stop_waiting()
            self._late = self.loop.call_later(header_timeout_s, self._give_up)

        def _stop_waiting(self) -> None:
            if self._late:
                self._late.cancel()
                self._late = None

        def _give_up(self) -> None:
            if not self.transport.is_closing():
                self.transport.write(_LATE_HEAD)
                self.transport.close()

    return PatientProtocol


@dataclass(frozen=True, slots=True)
class ServerEvents:
    """Whom the server tells what happens."""

    ready: Callable[[], None]
    """The first request will be answered."""
    drain: Drain
    """It was told to end: running work may end, new work is refused."""
    hangup: Callable[[], None]
    """SIGHUP came."""


class HttpServer(uvicorn.Server):
    """Ends in order on SIGTERM and SIGINT; on SIGHUP it does what it was told to."""

    def __init__(self, config: uvicorn.Config, settings: ServerSettings, on: ServerEvents) -> None:
        super().__init__(config)
        self._settings = settings
        self._on = on

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and tell that the first request will be answered."""
        self.config.ssl = self._settings.tls.context if self._settings.tls else None
        await super().startup(sockets)
        self._on.ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals end the main loop; the process then ends by itself, with status 0."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end, number)
        loop.add_signal_handler(signal.SIGHUP, self._on.hangup)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                loop.remove_signal_handler(number)

    def _end(self, number: int) -> None:
        self.force_exit = self.should_exit and number == signal.SIGINT
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let running work end while new work is refused, then close the connections."""
        await self._on.drain()
        await super().shutdown(sockets)


def listening_socket(settings: ServerSettings) -> socket.socket:
    """A bound socket, so that the address is known before the first request; `setting_invalid` when it is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(2048)
    except OSError as fault:
        listener.close()
        raise LocalProtocolError(
            "setting_invalid",
            f"{settings.host}:{settings.port} cannot be listened on: {fault.strerror}",
            next_step="take another --port, or 0 for a free one",
            field="node.port",
        ) from fault
    return listener


def http_server(app: ASGIApp, settings: ServerSettings, on: ServerEvents) -> HttpServer:
    """The server of an application, not yet started."""
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http=patient_protocol(settings.header_timeout_s),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_s,
        timeout_graceful_shutdown=int(settings.drain_s),
    )
    return HttpServer(config, settings, on)
