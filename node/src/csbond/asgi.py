"""The application of a node, and the process that serves it until it is told to stop."""

from __future__ import annotations

import gc
from collections.abc import Callable

import uvloop
from starlette.types import ASGIApp

from csbond.api.access import ROUTES
from csbond.api.app import build_api, recogniser
from csbond.api.front_door import FrontDoor
from csbond.api.guard import guard
from csbond.api.served import Served
from csbond.config.home import Home
from csbond.config.identity import identity_document
from csbond.config.journal import set_up_log
from csbond.config.settings import Settings
from csbond.flows.ports import Journal
from csbond.node import Node, open_node, transport_limits
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.level_names import level_names
from csbond.transport.cards import jwks_document
from csbond.transport.grpc_port import GrpcPort, open_grpc
from csbond.transport.http_server import ServerEvents, ServerSettings, http_server, listening_socket
from csbond.transport.operations import Operations
from csbond.transport.reach import Reach
from csbond.transport.routes import a2a_routes, card_routes, document_routes
from csbond.transport.server_tls import ServerTls, TlsFiles


def run_server(home: Home, settings: Settings, on_ready: Callable[[str], None]) -> int:
    """Serve a home until SIGTERM or Ctrl-C; the exit status. `on_ready` hears the address once it answers."""
    set_up_log(settings.log)
    uvloop.run(_serve(home, settings, on_ready))
    return 0


async def _serve(home: Home, settings: Settings, on_ready: Callable[[str], None]) -> None:
    server_settings = _server_settings(settings)
    listener = listening_socket(server_settings)
    try:
        node = await open_node(home, settings)
    except BaseException:
        listener.close()
        raise
    address = bound_address(settings, listener.getsockname()[1])
    grpc: GrpcPort | None = None
    try:
        operations = operations_of(node, address)
        app = build_application(node, operations)
        await node.start()
        gc.freeze()  # what lives as long as the process is not looked through again and again
        grpc = await open_grpc(operations, server_settings, settings.a2a.grpc_port, recogniser(_served(node)))

        async def drain() -> None:
            await node.world.live.drain(settings.limits.drain_s)

        here = listening_address(settings, listener.getsockname()[1])
        events = ServerEvents(
            ready=lambda: on_ready(here),
            drain=drain,
            hangup=lambda: renew_certificate(server_settings.tls, node.world.journal),
            hurry=node.world.live.hurry,
        )
        await http_server(app, server_settings, events).serve([listener])
    finally:
        listener.close()
        if grpc:
            await grpc.close()
        await node.close()


def _server_settings(settings: Settings) -> ServerSettings:
    tls = settings.tls
    return ServerSettings(
        host=settings.node.host,
        port=settings.node.port,
        header_timeout_s=settings.limits.header_timeout_s,
        write_timeout_s=settings.limits.stream_write_timeout_s,
        drain_s=settings.limits.drain_s,
        tls=ServerTls(TlsFiles(tls.cert, tls.key, tls.client_ca)) if tls.cert else None,
    )


def renew_certificate(tls: ServerTls | None, journal: Journal) -> None:
    """Read the certificate again, where there is one; what is broken is noted, and the old one stays in force."""
    if tls is None:
        return
    try:
        tls.renew()
    except CsbError as fault:
        journal.failed("renew_certificate", fault)


def bound_address(settings: Settings, port: int) -> str:
    """The base address the card names: `node.base_url` where it is set, else where the node listens."""
    return settings.node.base_url.rstrip("/") or listening_address(settings, port)


def listening_address(settings: Settings, port: int) -> str:
    """The address at which this machine reaches the node, whatever it is called outside."""
    host = settings.node.host
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"{'https' if settings.tls.cert else 'http'}://{shown}:{port}"


def operations_of(node: Node, address: str) -> Operations:
    """The operations of a node, with the extended card for its owner."""
    settings = node.settings
    reach = Reach(address, settings.node.trusted_proxies, fixed=bool(settings.node.base_url))
    return Operations(node.world, transport_limits(settings), node.cards(), reach)


def build_application(node: Node, operations: Operations) -> ASGIApp:
    """Every route of the node behind its access class; `internal_error` when one has no class."""
    app = build_api(_served(node))

    def jwks() -> dict[str, object]:
        return jwks_document(node.public_key_b64url(), node.identity.did)

    app.router.routes.extend(
        [
            *card_routes(operations.cards, operations.reach.base_url),
            *document_routes(jwks, lambda: identity_document(node.identity), node.health),
            *a2a_routes(operations),
        ]
    )
    guard(app.router.routes, ROUTES, recogniser(_served(node)))
    return FrontDoor(app, app.router.routes)


def _served(node: Node) -> Served:
    return Served(
        world=node.world,
        owner_digest=node.owner_digest,
        version=node.identity.version,
        started_at=node.started_at,
        names=level_names(node.identity.memory_level_map),
        limits=transport_limits(node.settings),
        facts={"storage": node.identity.memory_storage},
    )
