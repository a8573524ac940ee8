"""A snapshot is downloaded by the command, as its owner asked: the node opens no address (MEM-006 §6.2)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from csbond.cli.addresses import read_address, same_origin, uses_proxy
from csbond.cli.destination import destination_of
from csbond.cli.told_fault import told_fault
from csbond.config.settings_rules import redacted
from csbond.protocol.errors import LocalProtocolError, RemoteProtocolError, Unavailable
from csbond.protocol.memory.snapshot import MEDIA_TYPE

if TYPE_CHECKING:
    import httpx

REDIRECTS_MAX = 5
"""Times that a server sends on to another of its own addresses."""
WHOLE_S = 600.0
"""Seconds for a whole file: 64 MiB over a slow line."""
FAULT_BYTES = 64 * 1024
"""Bytes that are read of an answer that is no file: more says no more of what is wrong."""
_WAIT_S = 30.0
"""Seconds between two signs of life."""


def is_address(source: str) -> bool:
    """Whether a source is an address and no file."""
    return source.lower().startswith(("http://", "https://"))


def downloaded(url: str, most: int, token_file: Path | None, home: Path | None) -> bytes:
    """The bytes at an address, of at most so many.

    The token of a file, or of the home whose node it is, goes to that origin alone, and no redirect leads to another:
    `peer_broke_protocol`. `invalid_params` for what is no address, `peer_unreachable`, `body_too_large`.
    """
    import httpx

    from csbond.transport.outgoing import outgoing_tls

    to = destination_of(_origin_of(url), token_file, home)
    headers = {"Accept": f"{MEDIA_TYPE}, application/json", "Accept-Encoding": "identity"}
    verify = to.tls or outgoing_tls()
    with httpx.Client(
        auth=to.bearer, headers=headers, timeout=_WAIT_S, trust_env=uses_proxy(url), verify=verify
    ) as http:
        try:
            return _followed(http, url, most)
        except httpx.TransportError as fault:
            why = str(fault) or "the connection broke"
            raise Unavailable("peer_unreachable", f"{bare(url)} cannot be reached: {why}") from fault


def bare(url: str) -> str:
    """An address as it may be written down: without password, query and fragment, which may be secrets."""
    return redacted(url).partition("#")[0].partition("?")[0]


def _origin_of(url: str) -> str:
    try:
        read_address(url)
    except ValueError as fault:
        raise LocalProtocolError(
            "invalid_params",
            f"{bare(url)!r} is no address of a file",
            next_step="an address is like https://agent.example/what.csb-memory-snapshot; a token goes in --token-file",
            field="source",
        ) from fault
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _followed(http: httpx.Client, url: str, most: int) -> bytes:
    import httpx

    place, until = url, time.monotonic() + WHOLE_S
    for _ in range(REDIRECTS_MAX + 1):
        try:
            with http.stream("GET", place) as response:
                if not response.has_redirect_location:
                    return _body(response, url, most, until)
                place = str(read_address(str(response.url.join(response.headers["location"]))))
        except (httpx.InvalidURL, httpx.RemoteProtocolError, ValueError) as fault:
            if isinstance(fault, httpx.RemoteProtocolError) and "location header" not in str(fault):
                raise
            raise RemoteProtocolError("peer_broke_protocol", f"{bare(url)} sends on to what is no address") from fault
        if not same_origin(place, url):
            raise RemoteProtocolError(
                "peer_broke_protocol",
                f"{bare(url)} sends on to {bare(place)}, which is another place than was asked for",
                next_step="name that address, if it is meant",
            )
    raise RemoteProtocolError("peer_broke_protocol", f"{bare(url)} sends on and on")


def _body(response: httpx.Response, url: str, most: int, until: float) -> bytes:
    if not response.is_success:
        import httpx

        body = _begun(response, url, FAULT_BYTES, until)
        raise told_fault(bare(url), httpx.Response(response.status_code, content=body[:FAULT_BYTES]))
    body = _begun(response, url, most, until)
    if len(body) > most:
        raise RemoteProtocolError("body_too_large", f"{bare(url)} holds more than the {most} bytes of a snapshot")
    return body


def _begun(response: httpx.Response, url: str, most: int, until: float) -> bytes:
    """The body as it is sent, unpacked by nobody; of one that is longer than `most` at least one byte more."""
    chunks, size = list[bytes](), 0
    for chunk in response.iter_raw():
        if time.monotonic() > until:
            raise Unavailable("peer_unreachable", f"{bare(url)} did not send the whole file in {WHOLE_S:g} seconds")
        chunks.append(chunk)
        size += len(chunk)
        if size > most:
            break
    return b"".join(chunks)
