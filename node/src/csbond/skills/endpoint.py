"""Calling an address of the owner's choice: TLS is verified, nothing is followed, and the token stays unseen."""

from __future__ import annotations

import ipaddress
import logging
import os
import ssl
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from csbond.protocol.errors import LocalProtocolError
from csbond.skills.settings import Count, NamedSettings, Seconds, invalid

_log = logging.getLogger(__name__)

CONNECTIONS = 100
"""Open connections to the endpoint: as many answers as may be in the making at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings(NamedSettings):
    """Where it is, and how it is called."""

    url: str = ""
    """Address: https, or plain http to this machine only."""
    allow_plain_http: bool = False
    """Take a plain http address of another machine, where token and messages travel readable for all on the way."""
    ca_file: str = ""
    """File of CA certificates in PEM, for an address with a certificate of one's own CA; relative: from the home."""
    token_env: str = ""
    """Name of the environment variable that holds the bearer token."""
    token_file: str = ""
    """File that holds the bearer token, read before each call; a relative one starts at the home."""
    connect_timeout_s: Seconds = 10.0
    """Seconds until a connection must stand."""
    read_timeout_s: Seconds = 60.0
    """Seconds of silence after which an answer that has stalled is given up."""
    answer_bytes: Count = 8 * 1024 * 1024
    """Bytes of an answer; a longer one fails."""


class EndpointFailed(Exception):
    """The endpoint gave no usable answer; the text may be told to the caller, its cause goes to the log."""

    @property
    def logged(self) -> str:
        """The text with the cause, for the owner."""
        return f"{self} ({self.__cause__!r})" if self.__cause__ else str(self)


NO_ADDRESS = (httpx.InvalidURL, UnicodeError)
"""What the client raises for an answer that sends on to no address, though it is not to follow."""


class Endpoint:
    """The address with its client and its token."""

    def __init__(self, settings: EndpointSettings, home: Path) -> None:
        self._settings = settings
        self.url = _checked_url(settings)
        if settings.token_env and settings.token_file:
            raise invalid("token_env", "and token_file are both set", "keep one of them")
        self._token_file = home / settings.token_file if settings.token_file else None
        self._checked_token()
        self.client = httpx.AsyncClient(
            verify=_trust(settings, home),
            timeout=httpx.Timeout(settings.read_timeout_s, connect=settings.connect_timeout_s, pool=None),
            limits=httpx.Limits(max_connections=CONNECTIONS),
            follow_redirects=False,
            trust_env=False,
        )

    def request(self, path: str, body: bytes, accept: str) -> httpx.Request:
        """A POST of JSON to a path under the address; `EndpointFailed` when its token has gone."""
        headers = {
            "Content-Type": "application/json",
            "Accept": accept,
            "Accept-Encoding": "identity",
        }
        return self.client.build_request("POST", self.url + path, content=body, headers=headers | self._authorization())

    async def chunks(self, response: httpx.Response) -> AsyncGenerator[bytes]:
        """The body of an answer as it arrives; `EndpointFailed` when it is too long, packed, stalls or breaks off."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise EndpointFailed("answered in a coding that was not asked for")
        room = self._settings.answer_bytes
        try:
            async for chunk in response.aiter_raw():
                room -= len(chunk)
                if room < 0:
                    raise EndpointFailed(f"answered with more than {self._settings.answer_bytes} bytes")
                yield chunk
        except httpx.HTTPError as fault:
            raise translated(fault) from fault

    def _authorization(self) -> dict[str, str]:
        try:
            return self._checked_token()
        except LocalProtocolError as fault:
            _log.error("%s", fault.reason)
            raise EndpointFailed("cannot be called: its token is missing") from fault

    def _checked_token(self) -> dict[str, str]:
        token = ""
        if self._settings.token_env:
            token = os.environ.get(self._settings.token_env, "").strip()
            if not token:
                raise invalid("token_env", f"the variable {self._settings.token_env} is not set")
        elif self._token_file:
            try:
                token = self._token_file.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as fault:
                raise invalid("token_file", f"{self._settings.token_file} cannot be read") from fault
            if not token:
                raise invalid("token_file", f"{self._settings.token_file} is empty")
        if token and (not token.isascii() or not token.isprintable() or " " in token):
            raise invalid("token_file" if self._token_file else "token_env", "holds no bearer token")
        return {"Authorization": f"Bearer {token}"} if token else {}


def translated(fault: httpx.HTTPError) -> EndpointFailed:
    """What a fault of the network is, in words a caller may be told."""
    match fault:
        case httpx.ReadTimeout():
            return EndpointFailed("stopped answering")
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return EndpointFailed("could not be reached")
        case _:
            return EndpointFailed("broke the connection off")


def _checked_url(settings: EndpointSettings) -> str:
    """The address without a slash at its end; addresses show up in logs, so they hold no password."""
    try:
        parts = urlsplit(settings.url)
        host, port_fits = parts.hostname or "", parts.port is None or parts.port > 0
        httpx.URL(settings.url).raw_host.decode().encode("idna")  # as it will be for every call
        httpx.URL(settings.url).host.encode()
    except (httpx.InvalidURL, ValueError):
        raise invalid("url", "is no address") from None
    if parts.scheme not in ("http", "https") or not host or not port_fits:
        raise invalid("url", "is no address", "give one like https://model.example/v1")
    if parts.username is not None or parts.query or parts.fragment:
        raise invalid("url", "holds a user name, a question mark or a fragment", "give the token by token_env")
    if parts.scheme == "http" and not settings.allow_plain_http and not _is_this_machine(host):
        raise invalid("url", f"would call {host} without TLS", "use https, or set allow_plain_http = true")
    return settings.url.rstrip("/")


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _trust(settings: EndpointSettings, home: Path) -> ssl.SSLContext:
    if not settings.ca_file:
        return _authorities_of_the_machine()
    try:
        return ssl.create_default_context(cafile=str(home / settings.ca_file))
    except (OSError, ssl.SSLError) as fault:
        raise invalid("ca_file", f"{settings.ca_file} holds no certificates") from fault


@cache
def _authorities_of_the_machine() -> ssl.SSLContext:
    """Read once: it takes a tenth of a second."""
    return ssl.create_default_context()
