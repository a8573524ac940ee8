"""The HTTP server: uvicorn, with limits for slow heads and slow readers, an orderly end, and renewed certificates."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from csbond.protocol.errors import LocalProtocolError
from csbond.transport.patient_protocol import patient_protocol
from csbond.transport.server_tls import ServerTls
from csbond.transport.stalled_readers import StalledReaders

Drain = Callable[[], Awaitable[None]]

_TICKS_A_SECOND = 10
"""How often uvicorn calls `on_tick`."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where and how to listen."""

    host: str
    port: int
    header_timeout_s: float = 10.0
    """Seconds until the head of a request must be complete."""
    write_timeout_s: float = 60.0
    """Seconds a reader may take no byte before its connection is cut."""
    keep_alive_s: int = 65
    """Seconds an idle connection stays open: a little more than common proxies keep theirs."""
    drain_s: float = 20.0
    """Seconds running requests get to end."""
    tls: ServerTls | None = None
    """The certificate to show; None: plain HTTP."""


@dataclass(frozen=True, slots=True)
class ServerEvents:
    """Whom the server tells what happens."""

    ready: Callable[[], None]
    """The first request will be answered."""
    drain: Drain
    """It was told to end: running work may end, new work is refused."""
    hangup: Callable[[], None]
    """SIGHUP came."""
    hurry: Callable[[], None]
    """It was told to end once more: running work is to be interrupted now."""


class HttpServer(uvicorn.Server):
    """Ends in order on SIGTERM and SIGINT; on SIGHUP it does what it was told to."""

    def __init__(self, config: uvicorn.Config, settings: ServerSettings, on: ServerEvents) -> None:
        super().__init__(config)
        self._settings = settings
        self._on = on
        self._stalled = StalledReaders(settings.write_timeout_s)

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
        if self.should_exit:
            self._on.hurry()
        self.force_exit = self.should_exit and number == signal.SIGINT
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        """Look after the connections once a second; whether it is time to end."""
        if counter % _TICKS_A_SECOND == 0:
            transports = [connection.transport for connection in self.server_state.connections]
            self._stalled.cut(transports, asyncio.get_running_loop().time())
        return await super().on_tick(counter)

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
