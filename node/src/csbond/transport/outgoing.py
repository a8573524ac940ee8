"""Calls to other machines: which addresses are ones, whom they trust, and what is said when they fail."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx

from csbond.protocol.errors import LocalProtocolError, Unavailable

URL_LENGTH = 2_048
"""Characters of an address: what every browser and proxy passes on."""


def host_and_port(url: str) -> tuple[str, int]:
    """Where an http or https address leads; `ValueError` says in words what else it is.

    A user name in it is refused: addresses are shown, kept and logged, and a password would be with them.
    """
    if len(url) > URL_LENGTH:
        raise ValueError(f"an address has at most {URL_LENGTH} characters")
    if not url.isprintable() or " " in url:
        raise ValueError("an address has no spaces, line ends or other characters that cannot be printed")
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        raise ValueError("the host of the address is none") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("an address begins with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise ValueError("an address carries no user name and no password")
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise ValueError("the port of the address is no number from 1 to 65535")
    try:
        httpx.URL(url).raw_host.decode().encode("idna")  # as the look-up of the name will do
    except (httpx.InvalidURL, ValueError):
        raise ValueError("the host of the address is none") from None
    return host, port or (443 if parts.scheme == "https" else 80)


def outgoing_tls(trust_ca: str = "") -> ssl.SSLContext:
    """Trusts the system's authorities and, beside them, those of a file; it always verifies.

    `setting_invalid` for a file that holds none.
    """
    system = ssl.get_default_verify_paths()
    if system.cafile or system.capath:
        context = ssl.create_default_context()
    else:
        import certifi  # where Python found no authorities of the system

        context = ssl.create_default_context(cafile=certifi.where())
    if trust_ca:
        try:
            context.load_verify_locations(trust_ca)
        except OSError as fault:
            raise LocalProtocolError(
                "setting_invalid",
                f"{trust_ca} holds no CA certificates in PEM: {fault.strerror or fault}",
                field="tls.trust_ca",
            ) from fault
    return context


def unreachable(url: str, fault: BaseException) -> Unavailable:
    """`peer_unreachable` with the reason; a certificate that is not trusted is told from an agent that is away."""
    for cause in _causes(fault):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Unavailable(
                "peer_unreachable",
                f"the certificate of {url} is not trusted: {cause.verify_message}",
                next_step="name its authority in tls.trust_ca of csb.toml, if it is one to trust",
            )
        if isinstance(cause, ssl.SSLError) and cause.reason:
            said = cause.reason.lower().replace("_", " ")
            return Unavailable("peer_unreachable", f"no TLS connection to {url}: {said}")
    return Unavailable("peer_unreachable", f"no answer from {url}", next_step="is it running?")


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    while fault is not None:
        yield fault
        fault = fault.__cause__ or fault.__context__
