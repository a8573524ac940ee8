"""What settings must be together: addresses, networks, TLS, and how far a node may open itself."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from csbond.config.memory_settings import MemorySettings, tier_policy
from csbond.config.settings import Settings
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.level_names import level_names
from csbond.protocol.messages.address import host_and_port

DATABASE_FILE = "csb.db"
"""The ledger's name in a home that does not set `node.database`."""

_HOST = re.compile(r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$")

_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?")
"""A host name, or that of a container, which may hold underscores."""
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-+\--~]+")
"""As the header A2A-Extensions can name it: in ASCII, without blanks and commas."""


def check_settings(settings: Settings) -> None:
    """Nothing, or `setting_invalid` for the first rule that is broken."""
    _check_host(settings.node.host)
    _check_base_url(settings.node.base_url)
    for network in settings.node.trusted_proxies:
        _check_network(network)
    if bool(settings.tls.cert) != bool(settings.tls.key):
        raise _refuse("tls.cert", "tls.cert and tls.key go together; one of them is empty")
    if settings.tls.client_ca and not settings.tls.cert:
        raise _refuse("tls.client_ca", "tls.client_ca needs tls.cert and tls.key")
    for host in settings.push.allow_hosts:
        _check_allowed(host)
    for uri in settings.a2a.required_extensions:
        if not _URI.fullmatch(uri):
            raise _refuse("a2a.required_extensions", f"a2a.required_extensions takes whole URIs, not {uri!r}")
    _check_level_map(settings.memory.memory_level_map)
    tier_policy(settings.tiers)
    _check_endpoint(settings.memory)
    database_file(settings.node.database, Path())


def check_exposure(settings: Settings) -> None:
    """Nothing when the node may listen where it is told to; `setting_invalid` for an open door without a lock.

    1. A loopback address is reached from this machine only. 2. With TLS of its own, nobody on the way can read.
    3. With a declared proxy, somebody else has taken that duty. 4. Anything else would send tokens and memories
    in the clear.
    """
    if is_loopback(settings.node.host) or settings.tls.cert or settings.node.trusted_proxies:
        return
    raise LocalProtocolError(
        "setting_invalid",
        f"{settings.node.host} can be reached from other machines, and without TLS tokens and memories would travel"
        " in the clear",
        next_step="give --tls-cert and --tls-key, or name the proxy that ends TLS in node.trusted_proxies of csb.toml,"
        " or listen on 127.0.0.1",
        field="node.host",
    )


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only; names but `localhost` are not taken on trust."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def database_file(url: str, home: Path) -> Path:
    """The file of a database URL; an empty one means `csb.db` in the home.

    `setting_invalid` names the spoken schemes. As is usual, three slashes begin a relative path and four an
    absolute one.
    """
    if not url:
        return home / DATABASE_FILE
    scheme, _, rest = url.partition("://")
    if scheme != "sqlite" or not rest.startswith("/"):
        raise LocalProtocolError(
            "setting_invalid",
            f"{redacted(url)!r} is not a database this node speaks to",
            next_step="spoken is: sqlite:///file (relative) or sqlite:////file (absolute)",
            field="node.database",
        )
    if rest == "/" or "\x00" in rest or "?" in rest or "#" in rest:
        raise _refuse("node.database", f"{url!r} names no file")
    return home / rest[1:]


def redacted(url: str) -> str:
    """A URL without the password it may hold."""
    return re.sub(r"//[^/@]*@", "//…@", url)


def _check_level_map(level_map: Mapping[str, str]) -> None:
    try:
        level_names(level_map)
    except LocalProtocolError as fault:
        raise _refuse("memory.memory_level_map", f"memory.{fault.reason}") from fault


def _check_endpoint(memory: MemorySettings) -> None:
    """An endpoint has an address that says nothing to those on the way, and a model."""
    if memory.endpoint_token_file and memory.endpoint_token_env:
        raise _refuse(
            "memory.endpoint_token_env", "memory has two keys for its endpoint: keep the file or the variable"
        )
    if "endpoint" not in (memory.embedder, memory.summary):
        return
    url = memory.endpoint_url
    if not _is_plain_address(url):
        raise _refuse(
            "memory.endpoint_url",
            "memory.endpoint_url must be like https://models.example/v1, without a user name, a question mark or a"
            f" slash at its end, not {redacted(url)!r}",
        )
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise _refuse(
            "memory.endpoint_url",
            f"memory.endpoint_url would send memories to {parts.hostname} without TLS: give an https address",
        )
    if memory.summary == "endpoint" and not memory.summary_model:
        raise _refuse("memory.summary_model", "memory.summary_model names no model")
    if memory.embedder == "endpoint" and not memory.endpoint_model:
        raise _refuse("memory.endpoint_model", "memory.endpoint_model names no model")


def _check_host(host: str) -> None:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if not _HOST.match(host):
            raise _refuse("node.host", f"node.host must be an IP address or a host name, not {host!r}") from None


def _check_allowed(host: str) -> None:
    try:
        ipaddress.ip_network(host, strict=False)
    except ValueError:
        if not _NAME.fullmatch(host) or host.rpartition(".")[2].isdigit():
            raise _refuse(
                "push.allow_hosts",
                f"push.allow_hosts takes host names, addresses and networks like 10.0.0.0/8, not {host!r}",
            ) from None


def _check_base_url(url: str) -> None:
    if not url:
        return
    if not _is_plain_address(url):
        raise _refuse(
            "node.base_url",
            f"node.base_url must be like https://agent.example, without a slash at its end, not {redacted(url)!r}",
        )


def _is_plain_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host_and_port(url)
    except ValueError:
        return False
    bare = not parts.query and not parts.fragment and parts.username is None and not url.endswith("/")
    return parts.scheme in ("http", "https") and bare


def _check_network(network: str) -> None:
    try:
        ipaddress.ip_network(network)
    except ValueError as fault:
        raise _refuse(
            "node.trusted_proxies", f"node.trusted_proxies takes addresses and networks like 10.0.0.0/8: {fault}"
        ) from fault


def _refuse(field: str, reason: str) -> LocalProtocolError:
    return LocalProtocolError("setting_invalid", reason, field=field)
