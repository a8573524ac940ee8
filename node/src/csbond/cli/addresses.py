"""Addresses of agents as people type them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from csbond.config.settings_rules import is_loopback, redacted
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.address import host_and_port

if TYPE_CHECKING:
    from httpx import URL


def agent_address(url: str) -> str:
    """The base address of an agent without a slash at its end; `invalid_params` says what one looks like."""
    try:
        parts = urlsplit(url)
        read_address(url)
        usable = not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable:
        raise LocalProtocolError(
            "invalid_params",
            f"{redacted(url)!r} is no address of an agent",
            next_step="an address is like http://127.0.0.1:3100 or https://agent.example",
            field="url",
        )
    return url.rstrip("/")


def read_address(url: str) -> URL:
    """An http or https address as the HTTP client reads it; `ValueError` for what it could not go to.

    A user name in it is refused.
    """
    import httpx

    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as fault:
        raise ValueError(str(fault)) from fault
    host_and_port(f"{address.scheme}://{address.netloc.decode('ascii')}/")
    if address.userinfo or urlsplit(url).username is not None:
        raise ValueError("an address carries no user name and no password")
    address.host.encode()  # the client reads it once more for every request
    return address


def same_origin(one: URL | str, other: URL | str) -> bool:
    """Whether two addresses have the same scheme, host and port, as the HTTP client reads them."""
    import httpx

    return _origin(httpx.URL(one)) == _origin(httpx.URL(other))


def uses_proxy(url: str) -> bool:
    """Whether the proxy of the environment may be asked: never for an address of this machine."""
    import httpx

    return not is_loopback(httpx.URL(url).host)


def _origin(url: URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)
