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
        number = secrets.randbelow(len(_LETTERS) ** count)  # one draw instead of one a letter
        letters: list[str] = []
        for _ in range(count):
            number, place = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[place])
        return "".join(letters)

    def secret(self) -> str:
        """A token of 256 random bits, safe in a URL."""
        return secrets.token_urlsafe(32)
