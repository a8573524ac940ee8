"""The gRPC binding, v1.0 and v0.3 on one port, through the servicers of the SDK (A2A v1.0.1 §10)."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

# The embedder is a process of its own; gRPC's fork handlers would only complain about it.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
import grpc.aio
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.grpc_handler import DefaultGrpcServerCallContextBuilder, GrpcHandler
from a2a.types import a2a_pb2_grpc

from csbond.protocol.errors import CsbError, LocalProtocolError
from csbond.protocol.messages.caller import ANONYMOUS, Caller
from csbond.protocol.messages.dialects import Version
from csbond.transport.grpc_v0_3 import ServiceV03
from csbond.transport.http_server import ServerSettings
from csbond.transport.operations import Operations
from csbond.transport.request_handler import CALLER, DIALECT, STATED_VERSION, GrpcRequestHandler
from csbond.transport.server_tls import ServerTls, TlsMaterial

Recognise = Callable[[str | None], Awaitable[Caller]]

_caller: ContextVar[Caller] = ContextVar("csb_caller", default=ANONYMOUS)


class CallContexts(DefaultGrpcServerCallContextBuilder):
    """Builds the context of a call from its metadata and the caller the gate recognised."""

    def __init__(self, dialect: Version) -> None:
        self._dialect = dialect

    def build(self, context: Any) -> ServerCallContext:
        """The SDK's context with caller, dialect and stated version."""
        built = super().build(context)
        metadata = dict(context.invocation_metadata() or ())
        built.state[CALLER] = _caller.get()
        built.state[DIALECT] = self._dialect
        built.state[STATED_VERSION] = str(metadata.get("a2a-version", ""))
        return built


class Gate(grpc.aio.ServerInterceptor):
    """Recognises the caller before any handler runs; a wrong token ends the call."""

    def __init__(self, recognise: Recognise) -> None:
        self._recognise = recognise

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        """Let the call through, or answer UNAUTHENTICATED."""
        metadata = dict(details.invocation_metadata or ())
        try:
            _caller.set(await self._recognise(metadata.get("authorization")))
        except CsbError as fault:
            return _aborting(await continuation(details), fault.reason)
        return await continuation(details)


def _aborting(handler: Any, reason: str) -> Any:
    async def unary(_request: Any, context: Any) -> None:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, reason)

    async def stream(_request: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, reason)
        yield

    if handler is None or not handler.response_streaming:
        return grpc.unary_unary_rpc_method_handler(unary)
    return grpc.unary_stream_rpc_method_handler(stream)


class GrpcServer:
    """A gRPC server for the operations of a node."""

    def __init__(self, operations: Operations, settings: ServerSettings, recognise: Recognise) -> None:
        self._settings = settings
        limit = operations.limits.body_bytes
        self._server = grpc.aio.server(
            interceptors=[Gate(recognise)],
            options=[("grpc.max_receive_message_length", limit), ("grpc.so_reuseport", 0)],
        )
        handler = GrpcRequestHandler(operations)
        servicers: list[tuple[Any, Any]] = [
            (a2a_pb2_grpc, GrpcHandler(handler, CallContexts(Version.V1_0))),
            (a2a_v0_3_pb2_grpc, ServiceV03(handler, operations.limits, CallContexts(Version.V0_3))),
        ]
        for module, servicer in servicers:
            module.add_A2AServiceServicer_to_server(servicer, self._server)

    async def listen(self, port: int) -> GrpcServer:
        """Begin to listen; `setting_invalid` when the port is taken."""
        host = f"[{self._settings.host}]" if ":" in self._settings.host else self._settings.host
        address = f"{host}:{port}"
        try:
            if self._settings.tls:
                self._server.add_secure_port(address, _credentials(self._settings.tls))
            else:
                self._server.add_insecure_port(address)
        except RuntimeError as fault:
            raise LocalProtocolError(
                "setting_invalid", f"{address} cannot be listened on", field="a2a.grpc_port"
            ) from fault
        await self._server.start()
        return self

    async def close(self) -> None:
        """Let running calls end, then stop listening."""
        await self._server.stop(self._settings.drain_s)


def _credentials(tls: ServerTls) -> Any:
    """Credentials that follow the certificate in force: gRPC asks at each handshake whether there is another one."""
    shown = tls.material

    def renewed() -> Any:
        nonlocal shown
        if tls.material is shown:
            return None
        shown = tls.material
        return _configuration(shown)

    return grpc.dynamic_ssl_server_credentials(
        _configuration(shown), renewed, require_client_authentication=shown.client_ca is not None
    )


def _configuration(material: TlsMaterial) -> Any:
    return grpc.ssl_server_certificate_configuration([(material.key, material.cert)], material.client_ca)
