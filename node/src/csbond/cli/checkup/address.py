"""The address of the node: free, or taken by the node itself."""

from __future__ import annotations

import socket
from collections.abc import Iterator

from csbond.cli.checkup.finding import Finding
from csbond.config.home import Home
from csbond.config.lock import running_node
from csbond.config.settings import Settings


def check_address(home: Home, settings: Settings) -> Iterator[Finding]:
    """Whether the node runs, and if not, whether it could listen where the settings say."""
    record = running_node(home)
    if record is not None:
        yield Finding("node", "ok", f"process {record.pid} at {record.url or '(starting)'}")
        return
    yield Finding("node", "ok", "not running")
    ports = {"address": settings.node.port, "gRPC address": settings.a2a.grpc_port}
    for subject, port in ports.items():
        if port:
            yield _free(subject, settings.node.host, port)


def _free(subject: str, host: str, port: int) -> Finding:
    where = f"{host} port {port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(address)
    except OSError as fault:
        return Finding(
            subject, "fault", f"{where} cannot be listened on: {fault.strerror}", "name another with --port or --host"
        )
    return Finding(subject, "ok", f"{where} is free")
