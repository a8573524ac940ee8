"""Real nodes: `csb serve` on loopback addresses, with certificates of a throw-away authority."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from csbond_tests.certificates import Authority, authority
from csbond_tests.running import RunningNode, free_port, new_home, running


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made: Path = tmp_path_factory.mktemp("edge")
    return made


@pytest.fixture(scope="module")
def trusted(folder: Path) -> Authority:
    """The authority that the nodes and clients of a module may trust."""
    return authority(folder, "trusted")


@pytest.fixture(scope="module")
def unknown(folder: Path) -> Authority:
    """An authority that nobody trusts."""
    return authority(folder, "unknown")


@pytest.fixture(scope="module")
def grpc_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def echo_node(folder: Path, grpc_port: int) -> Iterator[RunningNode]:
    """A node whose skill gives back what it is given, on HTTP and gRPC without TLS."""
    settings = f'[memory]\nsemantic = "off"\n[a2a]\ngrpc_port = {grpc_port}\n[skill]\nkind = "echo"\n'
    with running(new_home(folder / "echo", settings, domain="agent.example")) as node:
        yield node
