"""Twins of the small ports: a clock that is set, names that are counted, a fixed key, and a world without others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from nacl.signing import SigningKey

from csbond.protocol.errors import CsbError, Refused, Unavailable
from csbond.protocol.identifiers import did_key
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import PushConfig

FIRST_MOMENT = 1_800_000_000_000
"""Where a set clock begins: 15 January 2027, 08:00 UTC."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(slots=True)
class SetClock:
    """A clock that moves only when it is told to."""

    moment: int = FIRST_MOMENT

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        return self.moment

    def advance(self, milliseconds: int) -> int:
        """Move on, and return the new time."""
        self.moment += milliseconds
        return self.moment


@dataclass(slots=True)
class CountedIdentifiers:
    """Names in a fixed order, each once: the same test gets the same names. Anybody can guess them."""

    given: int = 0

    def unique(self) -> str:
        """`00000000-0000-4000-8000-000000000001`, and so on."""
        return f"00000000-0000-4000-8000-{self._next():012d}"

    def letters(self, count: int) -> str:
        """Lower-case letters and digits; different ones each time, as long as `count` allows it."""
        number, letters = self._next(), ""
        for _ in range(count):
            number, digit = divmod(number, len(_LETTERS))
            letters = _LETTERS[digit] + letters
        return letters

    def secret(self) -> str:
        """`secret-…` of 43 characters, the length of a real one."""
        return f"secret-{self._next():036d}"

    def _next(self) -> int:
        self.given += 1
        return self.given


class FixedSigner:
    """A signer whose key follows from a name; the key is known to everybody who reads this."""

    def __init__(self, name: str = "agent") -> None:
        self._key = SigningKey(hashlib.sha256(name.encode()).digest())

    @property
    def did(self) -> str:
        """The did:key of the public half."""
        return did_key(bytes(self._key.verify_key))

    def sign(self, data: bytes) -> bytes:
        """The 64-byte Ed25519 signature."""
        return self._key.sign(data).signature


@dataclass(slots=True)
class NullWebhooks:
    """Webhooks that go nowhere: what was posted is kept, and answered as `takes` says."""

    takes: bool = True
    refused: set[str] = field(default_factory=set)
    """Addresses that may not be called."""
    posted: list[tuple[PushConfig, bytes]] = field(default_factory=list)

    async def check(self, url: str) -> None:
        """Nothing, or `webhook_refused` for an address that was refused."""
        if url in self.refused:
            raise Refused("webhook_refused", f"{url} may not be called")

    async def post(self, config: PushConfig, payload: bytes) -> bool:
        """Whether the address took the notification."""
        await self.check(config.url)
        self.posted.append((config, payload))
        return self.takes

    async def close(self) -> None:
        """They hold nothing."""


class NoPeers:
    """A world without other agents."""

    async def send(self, url: str, message: Message) -> tuple[str, Message]:
        """Always `peer_unreachable`."""
        raise Unavailable("peer_unreachable", f"nobody answers at {url}: this world has no other agents")

    async def close(self) -> None:
        """There is nobody to take leave of."""


@dataclass(slots=True)
class KeptJournal:
    """A journal that keeps what is noted, for a test to look at."""

    noted: list[tuple[str, BaseException, dict[str, str]]] = field(default_factory=list)

    def failed(self, story: str, fault: BaseException, **facts: str) -> None:
        """Note that something a story asked for failed."""
        self.noted.append((story, fault, facts))

    @property
    def codes(self) -> list[str]:
        """The codes of the faults of the registry that were noted."""
        return [fault.code.name for _, fault, _ in self.noted if isinstance(fault, CsbError)]
