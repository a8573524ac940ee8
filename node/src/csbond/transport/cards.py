"""The agent card: built once a base address, signed, and kept as bytes (A2A v1.0.1 §8)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any
from urllib.parse import urlsplit

import orjson
from a2a.types import a2a_pb2 as pb
from a2a.utils.signing import create_agent_card_signer
from google.protobuf.json_format import MessageToDict, ParseDict

from csbond.flows.turn import SkillCard
from csbond.protocol.messages.extensions import AUTHORITY, SENDER, SESSION_CONTEXT

IDENTITY_EXTENSION = "https://csb-protocol.org/ext/identity/v1"
NODE_EXTENSION = "https://csb-protocol.org/ext/node/v1"
CACHE_S = 300
"""Seconds a card may be kept: short enough for a changed skill to be seen soon."""
_BASES_KEPT = 8
"""Base addresses whose cards are kept; behind proxies there are few."""
_TOKEN = {
    "scheme": "Bearer",
    "description": "The token of the owner or of a named principal; without one a caller is anybody.",
}
"""Declared where an operation needs it, which is the extended card alone: v0.3 clients take it for a demand."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card is made of; the identity fields come from the one builder of identity.json."""

    name: str
    version: str
    description: str
    identity: Mapping[str, Any]
    """Public identity values for those who know CSB: did, also_known_as, emoji, fingerprint."""
    skill: SkillCard
    push: bool = True
    extended: bool = True
    merged: bool = True
    """Whether v0.3 clients find their fields in it; without, the card is pure v1.0."""
    grpc_port: int = 0
    """TCP port of the gRPC binding; 0 when it is not served."""
    grpc_tls: bool = False
    """Whether that port ends TLS itself."""
    required_extensions: tuple[str, ...] = ()
    node: Mapping[str, Any] = field(default_factory=dict)
    """What only the owner's extended card shows."""


@dataclass(frozen=True, slots=True)
class ServedCard:
    """A card as it goes over the wire."""

    body: bytes
    etag: str


class Cards:
    """Builds and keeps the cards of this node."""

    def __init__(self, facts: CardFacts, private_pem: Callable[[], bytes], key_id: str, started_at: int) -> None:
        self._facts = facts
        self._private_pem = private_pem
        self._key_id = key_id
        self._kept: dict[str, ServedCard] = {}
        self.last_modified = formatdate(started_at / 1000, usegmt=True)

    def public(self, base_url: str) -> ServedCard:
        """The signed public card for a base address."""
        card = self._kept.get(base_url)
        if card is None:
            body = orjson.dumps(self._signed(base_url, extended=False))
            card = ServedCard(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
            if len(self._kept) >= _BASES_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[base_url] = card
        return card

    def extended(self, base_url: str) -> dict[str, Any]:
        """The signed card for the owner, as JSON."""
        return self._signed(base_url, extended=True)

    def _signed(self, base_url: str, *, extended: bool) -> dict[str, Any]:
        card = ParseDict(card_document(self._facts, base_url, extended=extended), pb.AgentCard())
        header = {
            "alg": "EdDSA",
            "typ": "JOSE",
            "kid": self._key_id,
            "jku": f"{base_url}/.well-known/jwks.json",
        }
        signed = create_agent_card_signer(self._private_pem().decode("ascii"), header)(card)  # type: ignore[arg-type]
        document = MessageToDict(signed)
        return with_v0_3_fields(document, self._facts, base_url) if self._facts.merged else document


def card_document(facts: CardFacts, base_url: str, *, extended: bool) -> dict[str, Any]:
    """The v1.0 JSON of a card, unsigned."""
    skill = facts.skill
    document: dict[str, Any] = {
        "name": facts.name,
        "description": facts.description,
        "version": facts.version,
        "supportedInterfaces": _interfaces(facts, base_url),
        "capabilities": {
            "streaming": True,
            "pushNotifications": facts.push,
            "extendedAgentCard": facts.extended,
            "extensions": _extensions(facts, extended=extended),
        },
        "defaultInputModes": list(skill.input_modes),
        "defaultOutputModes": list(skill.output_modes),
        "skills": [
            {
                "id": skill.id,
                "name": skill.name,
                "description": skill.description,
                "tags": list(skill.tags),
                "examples": list(skill.examples),
            }
        ],
    }
    if facts.extended:
        document["securitySchemes"] = {"bearer": {"httpAuthSecurityScheme": dict(_TOKEN)}}
    return document


def _interfaces(facts: CardFacts, base_url: str) -> list[dict[str, str]]:
    versions = ("1.0", "0.3") if facts.merged else ("1.0",)
    found = []
    for version in versions:
        found.append(_interface(base_url, "JSONRPC", version))
        found.append(_interface(base_url, "HTTP+JSON", version))
        if facts.grpc_port:
            found.append(_interface(_grpc_address(facts, base_url, version), "GRPC", version))
    return found


def _grpc_address(facts: CardFacts, base_url: str, version: str) -> str:
    """On the host others know: v1.0.1 wants host:port, v0.3 readers want a scheme."""
    host = urlsplit(base_url).hostname or ""
    address = f"{f'[{host}]' if ':' in host else host}:{facts.grpc_port}"
    return address if version == "1.0" else f"{'https' if facts.grpc_tls else 'http'}://{address}"


def _interface(url: str, binding: str, version: str) -> dict[str, str]:
    return {"url": url, "protocolBinding": binding, "protocolVersion": version}


def _extensions(facts: CardFacts, *, extended: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"uri": SESSION_CONTEXT, "description": "Threads that go on across sessions (CSB v1.0 §1.2)."},
        {"uri": SENDER, "description": "Who a message says it is from."},
        {"uri": AUTHORITY, "description": "Carried along; authority is not acted on yet."},
        {"uri": IDENTITY_EXTENSION, "description": "Who this agent is.", "params": dict(facts.identity)},
    ]
    if extended:
        found.append({"uri": NODE_EXTENSION, "description": "How this node is set up.", "params": dict(facts.node)})
    for entry in found:
        entry["required"] = entry["uri"] in facts.required_extensions
    known = {entry["uri"] for entry in found}
    found += [{"uri": uri, "required": True} for uri in facts.required_extensions if uri not in known]
    return found


def with_v0_3_fields(document: dict[str, Any], facts: CardFacts, base_url: str) -> dict[str, Any]:
    """The card with the fields v0.3 clients read beside those of v1.0; the signature covers the latter only."""
    older = [each for each in _interfaces(facts, base_url) if each["protocolVersion"] == "0.3"]
    schemes = {
        # The same words twice: the SDK reads these fields instead of the signed ones.
        name: {**scheme, "type": "http", **scheme["httpAuthSecurityScheme"]}
        for name, scheme in document.get("securitySchemes", {}).items()
    }
    return {
        **document,
        **({"securitySchemes": schemes} if schemes else {}),
        "protocolVersion": "0.3.0",
        "url": base_url,
        "preferredTransport": "JSONRPC",
        "additionalInterfaces": [{"url": each["url"], "transport": each["protocolBinding"]} for each in older],
        "supportsAuthenticatedExtendedCard": facts.extended,
    }


def jwks_document(public_key_b64url: str, key_id: str) -> dict[str, Any]:
    """The public key of the card's signature as a JWK Set (RFC 8037)."""
    key = {"kty": "OKP", "crv": "Ed25519", "x": public_key_b64url, "kid": key_id, "use": "sig", "alg": "EdDSA"}
    return {"keys": [key]}
