"""Fetches an agent card and says whether its signature holds (A2A v1.0.1 §8.4)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

# Read when the library is imported; no command exports traces.
os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")

from a2a.client.card_resolver import parse_agent_card
from a2a.types import AgentCard
from a2a.utils.signing import InvalidSignaturesError, NoSignatureError, create_signature_verifier
from google.protobuf.json_format import ParseError
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from csbond.cli.addresses import same_origin, uses_proxy
from csbond.cli.destination import Destination
from csbond.cli.told_fault import told_fault
from csbond.protocol.errors import CsbError, RemoteProtocolError, Unavailable
from csbond.transport.outgoing import outgoing_tls

PATHS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
"""Where cards are, newest first."""
ALGORITHMS = ("EdDSA", "ES256", "RS256")
"""Only public-key ones: a shared secret proves nothing to a stranger."""
_DOCUMENT_BYTES = 1024 * 1024
"""A card of a megabyte is no card."""
_TIMEOUT = httpx.Timeout(20.0, connect=10.0)
WHOLE_S = 60.0
"""Seconds for a whole document, however often it shows a sign of life."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Whether the card is signed by a key of the place it came from."""

    verdict: str
    """`valid`, `invalid`, `unchecked` (no key could be had) or `none` (not signed)."""
    reason: str
    key_id: str = ""


class CardSource:
    """The place a card comes from; keys are asked of the same place only."""

    def __init__(self, source: Destination) -> None:
        self._source = source
        self._url = source.url
        self._http = httpx.Client(
            timeout=_TIMEOUT, trust_env=uses_proxy(source.url), verify=source.tls or outgoing_tls()
        )

    def __enter__(self) -> CardSource:
        return self

    def __exit__(self, *_fault: object) -> None:
        self._http.close()

    def card(self) -> Mapping[str, Any]:
        """The card as it is served; `peer_unreachable`, `peer_broke_protocol`, or what the agent says instead."""
        status: int = httpx.codes.NOT_FOUND
        for path in PATHS:
            response = self._fetched(self._url + path)
            status = response.status_code
            if status == httpx.codes.OK and isinstance(document := _json_of(response), Mapping):
                return document
            if status != httpx.codes.NOT_FOUND and not response.is_success:
                raise told_fault(self._url, response)
            if status != httpx.codes.NOT_FOUND:
                break
        raise RemoteProtocolError("peer_broke_protocol", f"{self._url} serves no agent card: HTTP {status}")

    def signature(self, document: Mapping[str, Any]) -> Signature:
        """What the signatures of a card are worth: one that holds is enough."""
        seen: list[str] = []
        used: list[str] = []

        def key_of(kid: str | None, jku: str | None) -> PyJWK:
            try:
                key = self._key(kid, jku)
            except _NoKey as fault:
                seen.append(str(fault))
                raise
            used.append(str(kid))
            return key

        try:
            create_signature_verifier(key_of, list(ALGORITHMS))(parsed(document))
        except NoSignatureError:
            return Signature("none", "the card is not signed")
        except InvalidSignaturesError:
            if seen and not used:
                return Signature("unchecked", "; ".join(seen))
            return Signature("invalid", "the signature does not fit the card")
        return Signature("valid", "signed by a key of the place the card came from", used[-1])

    def _key(self, kid: str | None, jku: str | None) -> PyJWK:
        if not isinstance(jku, str) or not jku:
            raise _NoKey("the signature does not say where its key is")
        jku = self._source.here(jku)
        try:
            fits = same_origin(jku, self._url)
        except (httpx.InvalidURL, ValueError):
            fits = False
        if not fits:
            raise _NoKey(f"its key is at another place, {jku}, and is not asked for there")
        try:
            response = self._fetched(jku)
            document = _json_of(response) if response.is_success else None
        except CsbError as fault:
            raise _NoKey(fault.reason) from fault
        keys = document.get("keys") if isinstance(document, Mapping) else None
        for key in keys if isinstance(keys, list) else []:
            if isinstance(key, Mapping) and key.get("kid") == kid:
                return PyJWK.from_dict(dict(key))
        raise _NoKey(f"{jku} has no key {kid}")

    def _fetched(self, url: str) -> httpx.Response:
        """What is answered, read to its end."""
        content, until = b"", time.monotonic() + WHOLE_S
        try:
            with self._http.stream("GET", url) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > _DOCUMENT_BYTES:
                        raise RemoteProtocolError("peer_broke_protocol", f"{url} is longer than any card")
                    if time.monotonic() > until:
                        raise Unavailable("peer_unreachable", f"{url} did not answer in {WHOLE_S:g} seconds")
        except httpx.HTTPError as fault:
            raise Unavailable("peer_unreachable", f"{url} cannot be reached: {fault}") from fault
        except (httpx.InvalidURL, UnicodeError) as fault:
            raise RemoteProtocolError("peer_broke_protocol", f"{url} sends on to what is no address") from fault
        return httpx.Response(response.status_code, content=content, request=response.request)


class _NoKey(PyJWTError):
    """The key of a signature cannot be had."""


def _json_of(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as fault:
        raise RemoteProtocolError("peer_broke_protocol", f"{response.url} is not JSON") from fault


def parsed(document: Mapping[str, Any]) -> AgentCard:
    """The card as the A2A library reads it; `peer_broke_protocol` when it cannot."""
    try:
        # The reader changes what it is given.
        return parse_agent_card(json.loads(json.dumps(document)))
    except (ParseError, AttributeError, TypeError, ValueError) as fault:
        raise RemoteProtocolError("peer_broke_protocol", f"what is served is no agent card: {fault}") from fault
