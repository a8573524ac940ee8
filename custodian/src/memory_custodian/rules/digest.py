"""SHA-256, without what `hashlib` loads beside it."""

from __future__ import annotations

__all__ = ["sha256_hex"]


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of bytes as 64 hex digits.

    `hashlib` loads OpenSSL first, which takes longer than everything a command digests; the interpreter has its own.
    """
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]  # Python 3.10 and 3.11
    except ImportError:
        try:
            from _sha2 import sha256  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            from hashlib import sha256
    return str(sha256(data).hexdigest())
