"""Who this agent is: the one builder of identity.json, of `/health` and of what the card says of identity (A2A-001)."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from csbond import __version__
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.identifiers import did_csb, did_key, fingerprint, public_key_of
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.level_names import level_names

NAME_MAX = 64
"""Code points of a name: what a table and a card can show."""
EMOJI_MAX = 16
"""Code points of an emoji; a family with skin tones has ten."""

CAPABILITIES: Mapping[str, bool] = dict.fromkeys(
    ("chat", "memory.remember", "memory.search", "memory.tiers", "memory.forget", "memory.snapshot"), True
)
"""What every node can do, as `domain.action` (A2A-005 §5.2)."""

_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Identity:
    """What identity.json says; all of it is public."""

    name: str
    did: str
    emoji: str = ""
    version: str = __version__
    """Of the software that serves the identity."""
    also_known_as: tuple[str, ...] = ()
    capabilities: Mapping[str, bool] = field(default_factory=lambda: dict(CAPABILITIES))
    memory_level_map: Mapping[str, str] = field(default_factory=lambda: {level.value: level.value for level in Level})
    memory_storage: str = "sqlite"
    created_at: int = 0
    """Milliseconds since 1970."""


def new_identity(name: str, emoji: str, domain: str, public_key: bytes, now: int) -> Identity:
    """The identity of a new agent; `invalid_params` for a name, emoji or domain that cannot be one."""
    name = checked_name(name)
    return Identity(
        name=name,
        did=did_key(public_key),
        emoji=_checked_emoji(emoji),
        also_known_as=(did_csb(domain, name),) if domain else (),
        created_at=now,
    )


def as_served(identity: Identity, level_map: Mapping[str, str]) -> Identity:
    """The identity with the running version, what that can do, and the tier names of the settings, if any.

    A home that was made by an earlier version can what this one can, but for what its identity.json says itself.
    """
    return replace(
        identity,
        version=__version__,
        capabilities={**CAPABILITIES, **identity.capabilities},
        memory_level_map={**identity.memory_level_map, **level_map},
    )


def who(identity: Identity) -> dict[str, Any]:
    """What identity.json, `/health` and the card all say of who the agent is."""
    return {
        "name": identity.name,
        "emoji": identity.emoji,
        "version": identity.version,
        "did": identity.did,
        "also_known_as": list(identity.also_known_as),
    }


def identity_document(identity: Identity) -> dict[str, Any]:
    """identity.json."""
    return {
        **who(identity),
        "capabilities": dict(identity.capabilities),
        "memory_level_map": dict(identity.memory_level_map),
        "memory_storage": identity.memory_storage,
        "created_at": identity.created_at,
    }


def identity_from_document(document: object) -> Identity:
    """The identity in a parsed identity.json; `setting_invalid` names the field that is missing or wrong.

    Fields this version does not know are left alone.
    """
    if not isinstance(document, Mapping):
        raise _refuse("identity.json", "must hold one JSON object")
    read = _Reader(document)
    identity = Identity(
        name=checked_name(read.text("name")),
        did=read.text("did"),
        emoji=_checked_emoji(read.text("emoji", "")),
        version=read.text("version", __version__),
        also_known_as=read.texts("also_known_as"),
        capabilities=read.table("capabilities", bool),
        memory_level_map=read.table("memory_level_map", str),
        memory_storage=read.text("memory_storage", "sqlite"),
        created_at=read.number("created_at"),
    )
    public_key_of(identity.did)
    level_names(identity.memory_level_map)
    return identity


def health_document(
    identity: Identity, *, uptime_s: float, semantic: bool, figures: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """`/health`: how the node is, and its public key for the first contact (A2A-001, A2A-002 §2.1); nothing private."""
    return {
        "status": "ok",
        **who(identity),
        "uptime": round(uptime_s, 3),
        "semantic": semantic,
        **(figures or {}),
        "pka": public_key_announcement(identity.did),
    }


def card_facts(identity: Identity) -> dict[str, Any]:
    """What the card says of identity beside name and version, and the fingerprint of the key; nothing that is empty."""
    facts = {name: value for name, value in who(identity).items() if name not in ("name", "version") and value}
    return {**facts, "fingerprint": fingerprint(public_key_of(identity.did))}


def public_key_announcement(did: str) -> dict[str, str]:
    """The `pka` block: the public key in a did:key, and its fingerprint."""
    public_key = public_key_of(did)
    return {
        "algorithm": "Ed25519",
        "publicKey": base64.b64encode(public_key).decode("ascii"),
        "fingerprint": fingerprint(public_key),
    }


def checked_name(name: str) -> str:
    """The name in NFC without blanks around it; `invalid_params` when it cannot be shown on one line."""
    name = unicodedata.normalize("NFC", name).strip()
    if not name or len(name) > NAME_MAX or not _is_one_line(name):
        raise LocalProtocolError(
            "invalid_params", f"a name has 1 to {NAME_MAX} characters and no control characters", field="name"
        )
    return name


def _checked_emoji(emoji: str) -> str:
    if len(emoji) > EMOJI_MAX or not _is_one_line(emoji) or any(character.isspace() for character in emoji):
        raise LocalProtocolError(
            "invalid_params", f"an emoji has at most {EMOJI_MAX} code points and no blanks", field="emoji"
        )
    return emoji


def _is_one_line(text: str) -> bool:
    """Whether a text has no line break, control character, half of a character, or mark that reorders what is read."""
    return not any(
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _REORDERING for character in text
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    document: Mapping[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        value = self.document.get(name, default)
        if not isinstance(value, str):
            raise _refuse(name, "must be a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.document.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise _refuse(name, "must be a list of texts")
        return tuple(value)

    def table(self, name: str, kind: type) -> dict[str, Any]:
        value = self.document.get(name, {})
        if not isinstance(value, Mapping) or not all(isinstance(item, kind) for item in value.values()):
            raise _refuse(name, f"must be an object of {'true or false' if kind is bool else 'texts'}")
        return dict(value)

    def number(self, name: str) -> int:
        value = self.document.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise _refuse(name, "must be a whole number of milliseconds")
        return value


def _refuse(name: str, reason: str) -> LocalProtocolError:
    return LocalProtocolError("setting_invalid", f"{name} {reason}", field=name)
