"""What a plan takes from outside: the date and random values, the same for a preview and its apply (§8)."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Draws"]


class Draws(Protocol):
    """The values of one request. `files/seeds.py` replays them; tests give fixed ones."""

    @property
    def today(self) -> str:
        """The local date as YYYY-MM-DD: of the preview, also after midnight."""

    @property
    def nonce(self) -> str:
        """128 random bits as hex, for plans whose ID must not tell their topic."""

    def suffix(self) -> str:
        """Return the next eight hex digits for an ID."""

    def project_id(self) -> str:
        """Return the UUIDv4 for a project that has none; always the same one."""
