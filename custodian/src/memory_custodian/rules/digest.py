"""SHA-256, without what `hashlib` loads beside it."""

from __future__ import annotations

import sys
from importlib import import_module

__all__ = ["sha256_hex"]

_OWN = "_sha2" if sys.version_info >= (3, 12) else "_sha256"


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of bytes as 64 hex digits.

    `hashlib` loads OpenSSL first, which takes longer than everything a command digests; most interpreters have one of
    their own.
    """
    try:
        module = import_module(_OWN)
    except ImportError:
        module = import_module("hashlib")
    return str(module.sha256(data).hexdigest())
