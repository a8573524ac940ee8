"""Calls webhooks, and never an address inside a private network (A2A v1.0.1 §13.2).

The name is resolved here, every address it has is looked at, and the connection goes to the very address that was
looked at: a name that changes its mind between the check and the call gains nothing. Redirects are not followed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import httpcore
import httpx

from csbond.protocol.errors import RemoteProtocolError, Unavailable
from csbond.protocol.messages.address import host_and_port
from csbond.protocol.messages.push import PushConfig
from csbond.transport.outgoing import outgoing_tls, unreachable

TIMEOUT_S = 10.0
"""Seconds for one notification, from the name's look-up to the head of the answer: webhooks are to take it and work
later. What they answer beyond the head is not read."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_WRAPS_IPV4 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))
"""Networks whose last four bytes are an IPv4 address (RFC 6052, RFC 4291 §2.5.5.1); `::1` among them is 0.0.0.1."""
_PRIVATE_TOO = tuple(map(ipaddress.ip_network, ("fec0::/10", "64:ff9b:1::/48", "::ffff:0:0:0/96", "192.0.0.0/24")))
"""Networks of one site (RFC 3879, 8215, 7915, 6890) that `ipaddress` takes for public, in some versions of Python."""


class AllowedHosts:
    """Names, addresses and networks the owner lets the node call although they are private."""

    def __init__(self, allowed: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for text in allowed:
            try:
                self._networks.append(ipaddress.ip_network(text, strict=False))
            except ValueError:
                self._names.add(text.lower())

    def admits(self, host: str, address: Address) -> bool:
        """Whether a host may be called at an address."""
        plain = _unmapped(address)
        if host.lower() in self._names or any(
            each in network for network in self._networks for each in (address, plain)
        ):
            return True
        return plain.is_global and not plain.is_multicast and not any(plain in network for network in _PRIVATE_TOO)


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects to an address that was checked, whatever the name resolves to a moment later."""

    def __init__(self, allowed: AllowedHosts) -> None:
        self._allowed = allowed
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        *others, last = dict.fromkeys(await checked_addresses(host, port, self._allowed))
        for address in others:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await self._inner.connect_tcp(str(address), port, timeout, local_address, socket_options)
        return await self._inner.connect_tcp(str(last), port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class HttpWebhooks:
    """The port `Webhooks` over HTTP."""

    def __init__(
        self, allow_hosts: Iterable[str] = (), tls: ssl.SSLContext | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._allowed = AllowedHosts(allow_hosts)
        self._timeout_s = timeout_s
        trust = tls or outgoing_tls()
        transport = httpx.AsyncHTTPTransport(verify=trust, retries=0)
        transport._pool = httpcore.AsyncConnectionPool(  # httpx has no door for a network backend
            ssl_context=trust,
            network_backend=_CheckedBackend(self._allowed),
            max_connections=64,
            max_keepalive_connections=0,  # an answer that is not read to its end leaves a connection nobody can use
        )
        self._client = httpx.AsyncClient(
            transport=transport, timeout=timeout_s, follow_redirects=False, trust_env=False
        )

    async def check(self, url: str) -> None:
        """Nothing, or `webhook_refused` with the reason."""
        host, port = _host_and_port(url)
        with suppress(Unavailable):  # a name that is not known yet is looked at again before each call
            await checked_addresses(host, port, self._allowed)

    async def post(self, config: PushConfig, payload: bytes) -> bool:
        """Whether the webhook took it; `webhook_refused`, or `peer_unreachable` with the reason."""
        media_type = "application/a2a+json" if config.dialect == "1.0" else "application/json"
        headers = {"content-type": media_type, "user-agent": "csbond"}
        if config.token:
            headers["x-a2a-notification-token"] = config.token
        if config.scheme and config.credentials:
            headers["authorization"] = f"{config.scheme} {config.credentials}"
        host, port = _host_and_port(config.url)
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._client.stream("POST", config.url, content=payload, headers=headers) as response,
            ):
                return response.is_success
        except (httpx.InvalidURL, UnicodeError):
            return False  # it sends on to what is no address
        except (httpx.HTTPError, httpcore.NetworkError, httpcore.TimeoutException, OSError) as fault:
            raise unreachable(f"the webhook at {host}:{port}", fault) from fault

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()


async def checked_addresses(host: str, port: int, allowed: AllowedHosts) -> list[Address]:
    """Every address of a host, when all of them may be called; `webhook_refused` otherwise."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as fault:
        raise Unavailable("peer_unreachable", f"the host of the webhook is not known: {host[:128]}") from fault
    addresses = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]
    if not addresses or not all(allowed.admits(host, address) for address in addresses):
        raise RemoteProtocolError(
            "webhook_refused",
            "the webhook is at an address this node may not call",
            next_step="use a public address, or ask the owner to add the host to push.allow_hosts",
            field="url",
        )
    return addresses


def _host_and_port(url: str) -> tuple[str, int]:
    try:
        place = host_and_port(url)
        httpx.URL(url).host.encode()  # read as the client will do
    except (httpx.InvalidURL, ValueError) as fault:
        raise _no_webhook(fault) from fault
    return place


def _no_webhook(fault: Exception) -> RemoteProtocolError:
    return RemoteProtocolError("webhook_refused", f"no webhook: {fault}", field="url")


def _unmapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one that only wraps it."""
    if not isinstance(address, ipaddress.IPv6Address):
        return address
    if any(address in network for network in _WRAPS_IPV4):
        return ipaddress.IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address
