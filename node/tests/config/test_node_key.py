"""The node's key signs, is verified by others, and never shows its seed."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from csbond.config.node_key import NodeKey
from csbond.protocol.identifiers import public_key_of


def test_another_library_verifies_what_the_key_signs() -> None:
    key = NodeKey.generate()
    Ed25519PublicKey.from_public_bytes(key.public_key).verify(key.sign(b"words"), b"words")
    assert public_key_of(key.did) == key.public_key


def test_the_pem_is_the_same_key() -> None:
    key = NodeKey.generate()
    loaded = load_pem_private_key(key.private_pem(), None)
    assert isinstance(loaded, Ed25519PrivateKey)
    assert loaded.public_key().public_bytes_raw() == key.public_key


def test_a_key_read_back_is_the_same_key() -> None:
    key = NodeKey.generate()
    assert NodeKey.from_text(key.to_text() + "\n").did == key.did


@pytest.mark.parametrize("show", [repr, str, "{}".format])
def test_no_text_form_of_a_key_shows_its_seed(show) -> None:
    key = NodeKey.generate()
    assert key.to_text() not in show(key)
    assert key.did in show(key)
