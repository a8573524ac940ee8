"""A node for the tests of bindings, and a client of it for each binding and dialect.

Making a node costs more than asking it: the tests of one module share one, and the loop it lives in.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from csbond_tests.bindings import BINDINGS, HAS_GRPC
from csbond_tests.served_node import ServedNode, served
from csbond_tests.speakers import HttpSpeaker, OldHttpSpeaker, OldRpcSpeaker, RpcSpeaker
from csbond_tests.stories import ask_then_echo


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and item.get_closest_marker("asyncio"):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_node(tmp_path_factory) -> AsyncIterator[ServedNode]:
    async with served(tmp_path_factory.mktemp("node"), durable=True, grpc=HAS_GRPC) as node:
        yield node


@pytest.fixture
def node(shared_node) -> ServedNode:
    """The node of the module; its skill asks for more until it hears `end`."""
    shared_node.play(ask_then_echo)
    return shared_node


@pytest_asyncio.fixture(loop_scope="module")
async def serve(tmp_path) -> AsyncIterator[Callable[..., Any]]:
    """Returns a function that starts a node of its own, with a script for its skill and settings."""
    async with AsyncExitStack() as stack:
        homes = iter(range(100))

        async def start(*arguments: Any, **facts: Any) -> ServedNode:
            place = tmp_path / str(next(homes))
            place.mkdir()
            return await stack.enter_async_context(served(place, *arguments, **facts))

        yield start


@pytest.fixture(params=BINDINGS)
def binding(request) -> str:
    return str(request.param)


@pytest_asyncio.fixture(loop_scope="module")
async def speak() -> AsyncIterator[Callable[..., Any]]:
    """Returns a function that makes a client of a node for a binding; with a token, of its bearer."""
    async with AsyncExitStack() as stack:

        async def speaker(node: ServedNode, binding: str, token: str = "", **headers: str) -> Any:
            if binding.startswith("grpc"):
                from csbond_tests.grpc_speakers import GrpcSpeaker, OldGrpcSpeaker

                kind: Any = GrpcSpeaker if binding == "grpc 1.0" else OldGrpcSpeaker
                made = kind(node.grpc, token, **headers)
                stack.push_async_callback(made.close)
                return made
            http = await stack.enter_async_context(node.client(token, **headers))
            return {
                "json-rpc 1.0": lambda: RpcSpeaker(http),
                "json-rpc 0.3": lambda: OldRpcSpeaker(http, headers=()),
                "http+json 1.0": lambda: HttpSpeaker(http),
                "http+json 0.3": lambda: OldHttpSpeaker(http, "/v1", headers=()),
            }[binding]()

        yield speaker


@pytest_asyncio.fixture(loop_scope="module")
async def somebody(node, speak, binding) -> Any:
    """A client of a principal whom nobody knew before."""
    return await speak(node, binding, await node.somebody())
