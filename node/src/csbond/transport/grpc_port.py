"""The gRPC port, if there is one: a node without it imports nothing of the extra `grpc`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Protocol

from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.caller import Caller
from csbond.transport.http_server import ServerSettings
from csbond.transport.operations import Operations

Recognise = Callable[[str | None], Awaitable[Caller]]


class GrpcPort(Protocol):
    """A listening gRPC server."""

    async def close(self) -> None:
        """Let running calls end, then stop listening."""
        ...


async def open_grpc(
    operations: Operations, settings: ServerSettings, port: int, recognise: Recognise
) -> GrpcPort | None:
    """The gRPC server on a port; None for port 0. `setting_invalid` when the extra is not installed."""
    if port == 0:
        return None
    if find_spec("grpc") is None:
        raise LocalProtocolError(
            "setting_invalid",
            "a2a.grpc_port is set, but the extra `grpc` is not installed",
            next_step="pip install 'csbond[grpc]', or set a2a.grpc_port to 0",
            field="a2a.grpc_port",
        )
    from csbond.transport.grpc_server import GrpcServer

    return await GrpcServer(operations, settings, recognise).listen(port)
