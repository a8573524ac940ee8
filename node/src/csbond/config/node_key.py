"""The key of a node: it signs, and shows only its public half."""

from __future__ import annotations

import base64
import binascii

from nacl.signing import SigningKey

from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.identifiers import did_key, fingerprint

_SEED_BYTES = 32


class NodeKey:
    """An Ed25519 key pair; the `Signer` of `csbond.flows.ports`. Its text form never shows the seed."""

    __slots__ = ("_did", "_signing")

    def __init__(self, signing: SigningKey) -> None:
        self._signing = signing
        self._did = did_key(bytes(signing.verify_key))

    @classmethod
    def generate(cls) -> NodeKey:
        """A new key from the operating system's random source."""
        return cls(SigningKey.generate())

    @classmethod
    def from_text(cls, text: str) -> NodeKey:
        """The key of what `to_text` gave; `setting_invalid` for anything else."""
        try:
            seed = base64.b64decode(text.strip(), validate=True)
        except (binascii.Error, ValueError):
            seed = b""
        if len(seed) != _SEED_BYTES:
            raise LocalProtocolError("setting_invalid", "not an Ed25519 seed: 32 bytes in base64 are expected")
        return cls(SigningKey(seed))

    def to_text(self) -> str:
        """The seed in base64, for the key file and nothing else."""
        return base64.b64encode(bytes(self._signing)).decode("ascii")

    @property
    def did(self) -> str:
        """The did:key of the public half."""
        return self._did

    @property
    def public_key(self) -> bytes:
        """The raw 32 bytes of the public half."""
        return bytes(self._signing.verify_key)

    @property
    def fingerprint(self) -> str:
        """`sha256:<hex>` of the public half (A2A-001)."""
        return fingerprint(self.public_key)

    def sign(self, data: bytes) -> bytes:
        """The 64-byte Ed25519 signature."""
        return self._signing.sign(data).signature

    def private_pem(self) -> bytes:
        """The private half as PKCS #8 in PEM, as the signer of agent cards wants it."""
        # Only the card needs it, and most commands do not wait for it to load.
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        key = Ed25519PrivateKey.from_private_bytes(bytes(self._signing))
        return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def __repr__(self) -> str:
        return f"NodeKey({self._did})"
