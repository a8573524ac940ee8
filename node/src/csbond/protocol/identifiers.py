"""How the node names things: DIDs, and ids made of a prefix, a time and random letters.

Time and randomness are arguments; `flows.ports.Identifiers` brings them.
"""

from __future__ import annotations

import hashlib
import re

import base58

from csbond.protocol.errors import LocalProtocolError

_ED25519_PUBLIC_KEY = b"\xed\x01"
"""The multicodec prefix of an Ed25519 public key (did:key method)."""

_DOMAIN = re.compile(r"^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$")


def dated_id(prefix: str, now: int, random_part: str) -> str:
    """`<prefix>_<ms>_<random>`, the form of `mem_…` (MEM-001 §1.3) and `audit_…` (CSB v1.0 §2.3)."""
    return f"{prefix}_{now}_{random_part}"


def did_key(public_key: bytes) -> str:
    """The did:key of a raw 32-byte Ed25519 public key."""
    return "did:key:z" + base58.b58encode(_ED25519_PUBLIC_KEY + public_key).decode("ascii")


def public_key_of(did: str) -> bytes:
    """The raw public key inside a did:key; `invalid_params` when it is another kind of DID."""
    try:
        decoded = base58.b58decode(did.removeprefix("did:key:z"))
    except ValueError:
        decoded = b""
    if not did.startswith("did:key:z") or not decoded.startswith(_ED25519_PUBLIC_KEY) or len(decoded) != 34:
        raise LocalProtocolError("invalid_params", f"not a did:key of an Ed25519 key: {did!r}", field="did")
    return decoded[2:]


def did_csb(domain: str, name: str) -> str:
    """`did:csb:<domain>:agent:<name>`, the alias of CSB v1.0 §2.3; what is not ASCII in a name becomes a short hash."""
    if not _DOMAIN.match(domain):
        raise LocalProtocolError("invalid_params", f"not a domain name: {domain!r}", field="domain")
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not slug or not name.isascii():
        slug = (slug + "-" if slug else "") + hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"did:csb:{domain}:agent:{slug}"


def fingerprint(public_key: bytes) -> str:
    """`sha256:<hex>` of the raw public key, as `pka` shows it (A2A-001)."""
    return "sha256:" + hashlib.sha256(public_key).hexdigest()


def token_digest(token: str) -> str:
    """What is stored of a token: its SHA-256; tokens are random, so no salt is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
