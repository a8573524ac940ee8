"""The web addresses of other agents and of webhooks: which ones a node may be given (RFC 3986 §3)."""

from __future__ import annotations

import ipaddress
import re

URL_LENGTH = 2_048
"""Characters of an address: what every browser and proxy passes on."""
_BEGINNING = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?P<host>\[(?P<inside>[^\[\]]+)\]|[^\[\]:\\]*)(?::(?P<port>[^:]*))?")


def host_and_port(url: str) -> tuple[str, int]:
    """Where an http or https address leads; `ValueError` says in words what else it is.

    A user name in it is refused: addresses are shown, kept and logged, and a password would be with them.
    """
    if len(url) > URL_LENGTH:
        raise ValueError(f"an address has at most {URL_LENGTH} characters")
    if not url.isprintable() or " " in url:
        raise ValueError("an address has no spaces, line ends or other characters that cannot be printed")
    begun = _BEGINNING.match(url)
    if begun is None or not begun["authority"]:
        raise ValueError("an address begins with http:// or https:// and a host")
    if "@" in begun["authority"]:
        raise ValueError("an address carries no user name and no password")
    parts = _AUTHORITY.fullmatch(begun["authority"])
    if parts is None or not _is_host(parts["host"], parts["inside"]):
        raise ValueError("the host of the address is none")
    port = parts["port"] or ("443" if begun["scheme"].lower() == "https" else "80")
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and 0 < int(port) < 65536):
        raise ValueError("the port of the address is no number from 1 to 65535")
    return (parts["inside"] or parts["host"]).lower(), int(port)


def _is_host(host: str, inside: str | None) -> bool:
    try:
        if inside:
            ipaddress.IPv6Address(inside)
        elif host.isascii():
            host.encode("idna")  # as the look-up of the name will do
    except ValueError:
        return False
    return bool(host)
