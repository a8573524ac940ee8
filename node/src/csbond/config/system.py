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
        """A UUID of version 7 (RFC 9562 §5.7): milliseconds first, so that an index grows at its end, then 74 bits
        nobody can guess."""
        drawn = secrets.randbits(74)
        high, low = drawn >> 62, drawn & (1 << 62) - 1
        number = time.time_ns() // 1_000_000 << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low
        return str(uuid.UUID(int=number))

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
