"""The machine's clock and its randomness, for programs; tests bring their own."""

from __future__ import annotations

import secrets
import string
import time
import uuid

_LETTERS = string.ascii_lowercase + string.digits


class SystemClock:
    """The wall clock."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        return time.time_ns() // 1_000_000


class SystemIdentifiers:
    """Names and secrets from the operating system's random source."""

    def unique(self) -> str:
        """A random UUID."""
        return str(uuid.uuid4())

    def letters(self, count: int) -> str:
        """Random lower-case letters and digits."""
        return "".join(secrets.choice(_LETTERS) for _ in range(count))

    def secret(self) -> str:
        """A token of 256 random bits, safe in a URL."""
        return secrets.token_urlsafe(32)
