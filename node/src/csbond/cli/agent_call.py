"""Speaks to an agent by the official A2A client; what that raises becomes an error of the registry."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import httpx

# Read when the library is imported; no command exports traces.
os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")

from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientTimeoutError, AgentCardResolutionError
from a2a.types import AgentCard
from a2a.utils.constants import TransportProtocol
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, A2AError
from google.protobuf.json_format import ParseError

from csbond.cli.addresses import uses_proxy
from csbond.cli.destination import Destination
from csbond.cli.told_fault import told_fault
from csbond.protocol.errors import REGISTRY, CsbError, Refused, RemoteProtocolError, Unavailable
from csbond.transport.outgoing import outgoing_tls

_TIMEOUT = httpx.Timeout(120.0, connect=10.0)
"""Seconds: the skill of another agent may think for two minutes between two signs of life."""

_OLD_CARD = "/.well-known/agent.json"
_RPC_ERROR = re.compile(r"JSON-RPC Error (-\d+): (.*)", re.DOTALL)
_CODE_OF = {code.rpc: code.name for code in reversed(REGISTRY.values())}


@asynccontextmanager
async def client_of(to: Destination, *, stream: bool) -> AsyncIterator[Client]:
    """A client of the agent at a destination, by its card; `peer_unreachable`, `peer_broke_protocol`."""
    url = to.url
    async with httpx.AsyncClient(
        auth=to.bearer, timeout=_TIMEOUT, trust_env=uses_proxy(url), verify=to.tls or outgoing_tls()
    ) as http:
        with translated(url):
            resolver = A2ACardResolver(http, url)
            try:
                card = await resolver.get_agent_card()
            except AgentCardResolutionError as fault:
                if fault.status_code != httpx.codes.NOT_FOUND:
                    raise
                card = await _old_card(resolver, url)
            for interface in card.supported_interfaces:
                interface.url = to.here(interface.url)
            bindings = [TransportProtocol.JSONRPC, TransportProtocol.HTTP_JSON]
            config = ClientConfig(
                streaming=stream, httpx_client=http, supported_protocol_bindings=[str(each.value) for each in bindings]
            )
            client = ClientFactory(config).create(card)
        yield client


async def _old_card(resolver: A2ACardResolver, url: str) -> AgentCard:
    try:
        return await resolver.get_agent_card(_OLD_CARD)
    except AgentCardResolutionError as fault:
        if fault.status_code != httpx.codes.NOT_FOUND:
            raise
        raise RemoteProtocolError("peer_broke_protocol", f"{url} serves no agent card: HTTP 404") from fault


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Errors of the client library as errors of the registry, with the address they came from."""
    try:
        yield
    except A2AClientTimeoutError as fault:
        raise Unavailable("peer_unreachable", f"{url} did not answer in time") from fault
    except A2AError as fault:
        raise _translation(url, fault) from fault
    except httpx.TransportError as fault:
        raise _unreachable(url, fault) from fault
    except (ParseError, httpx.InvalidURL, ValueError, KeyError, TypeError) as fault:
        raise RemoteProtocolError("peer_broke_protocol", f"{url} answered outside the protocol: {fault}") from fault


def _unreachable(url: str, fault: httpx.TransportError) -> Unavailable:
    why = str(fault) or "the connection broke"
    return Unavailable("peer_unreachable", f"{url} cannot be reached: {why}", next_step="is the agent running?")


def _translation(url: str, fault: A2AError) -> CsbError:
    """1. what the agent said by an HTTP status; 2. by a number of the registry; 3. the network; 4. everything else."""
    if isinstance(fault.__cause__, httpx.HTTPStatusError):
        return told_fault(url, fault.__cause__.response)
    number = JSON_RPC_ERROR_CODE_MAP.get(type(fault), 0)
    reason = fault.message
    if found := _RPC_ERROR.match(reason):
        number, reason = int(found[1]), found[2]
    if number in _CODE_OF:
        return Refused(_CODE_OF[number], f"{url} answers: {reason}")
    if isinstance(fault.__cause__, httpx.TransportError):
        return _unreachable(url, fault.__cause__)
    return RemoteProtocolError("peer_broke_protocol", f"{url} answered outside the protocol: {reason}")
