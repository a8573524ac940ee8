"""Everything a story may ask of the outside world; `csbond.testing` ships an in-memory twin of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from csbond.flows.ledger import Committed, Ledger, PrincipalRow
from csbond.flows.memory_ledger import EntryQuery, FiledVector, ModelVectors, StoredVector, WordHit, WordHits
from csbond.protocol.continuity.model_summary import SummaryWish
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import Wanted
from csbond.protocol.memory.vector_map import FittedMap
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import PushConfig

__all__ = [
    "Clock",
    "Committed",
    "Embedder",
    "EntryQuery",
    "FiledVector",
    "Identifiers",
    "IndexState",
    "Journal",
    "Ledger",
    "MapFitter",
    "ModelVectors",
    "Nearest",
    "Peers",
    "PrincipalRow",
    "Signer",
    "StoredVector",
    "Summariser",
    "VectorIndex",
    "Webhooks",
    "WordHit",
    "WordHits",
]


class Clock(Protocol):
    """The one clock of the process."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        ...


class Identifiers(Protocol):
    """Where random names and secrets come from."""

    def unique(self) -> str:
        """A UUID-like name that nobody can guess."""
        ...

    def letters(self, count: int) -> str:
        """Random lower-case letters and digits."""
        ...

    def secret(self) -> str:
        """A token of at least 256 random bits, safe in a URL."""
        ...


class Signer(Protocol):
    """The key of this node; the private half never leaves it."""

    @property
    def did(self) -> str:
        """The did:key of the public half."""
        ...

    def sign(self, data: bytes) -> bytes:
        """The 64-byte Ed25519 signature."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors: 32-bit floats, little-endian, of length one."""

    @property
    def model_id(self) -> str:
        """Names the model and how it is used; vectors of two names are never mixed. Final once it is open."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; 0 for a model that has yet to tell, until it is open."""
        ...

    async def open(self) -> None:
        """Know the model and its dimension; `embedder_unavailable` when it does not tell them now."""
        ...

    async def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> list[bytes]:
        """A vector a text; `embedder_unavailable` when the model does not answer."""
        ...

    async def close(self) -> None:
        """End the model's process, or let go of its connections."""
        ...


class Summariser(Protocol):
    """Writes summaries of threads."""

    async def summarise(self, wish: SummaryWish) -> str:
        """The text; "" when there is none to be had now. Whether it is good enough is not its to say."""
        ...

    async def close(self) -> None:
        """Let go of its connections."""
        ...


@dataclass(frozen=True, slots=True)
class IndexState:
    """How the vectors of a Space are compared."""

    kind: Literal["exact", "faiss"]
    note: str = ""
    """What its owner should know of that; empty when there is nothing."""


class VectorIndex(Protocol):
    """Nearest neighbours in memory, rebuilt from the vector rows at start."""

    def begin(self, dimension: int) -> None:
        """Forget everything and take vectors of so many numbers."""
        ...

    def put(self, space: str, entry_id: str, vector: bytes, facets: Facets) -> None:
        """Add or replace a vector and what is asked of its entry."""
        ...

    def refile(self, space: str, entry_id: str, facets: Facets) -> bool:
        """Let an entry that changed keep its vector; False when it has none here."""
        ...

    def drop(self, space: str, entry_id: str) -> None:
        """Forget a vector; one that is not there is no error."""
        ...

    def search(self, space: str, query: bytes, limit: int, wanted: Wanted | None = None) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest, best first, among the wanted ones or all; may run in another thread."""
        ...

    def count(self, space: str) -> int:
        """How many vectors a Space has."""
        ...

    def unsettled(self, space: str) -> bool:
        """Whether `settle` has something to do."""
        ...

    def settle(self, space: str) -> None:
        """Do what keeps searches fast and may take long: to be run in another thread, one at a time."""
        ...

    def state(self, space: str) -> IndexState:
        """How a Space is searched now."""
        ...


class Nearest(Protocol):
    """The entries whose vectors are nearest to one, wherever the vectors are."""

    async def nearest(self, query: EntryQuery, vector: bytes, limit: int) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest that the query admits, best first.

        What changed a moment ago may still be judged by what it was: whoever shows an entry looks at it once more.
        """
        ...


class MapFitter(Protocol):
    """Fits linear maps between the vectors of two models."""

    async def fit(self, source: Sequence[bytes], target: Sequence[bytes]) -> FittedMap:
        """The map from vectors to others of the same texts; `vector_map_refused` where it is not good enough."""
        ...


class Journal(Protocol):
    """Where faults are noted for the owner; never a secret, never the text of a message."""

    def failed(self, story: str, fault: BaseException, **facts: str) -> None:
        """Note that something a story asked for failed."""
        ...


class Webhooks(Protocol):
    """Calls notification addresses, and only such as the node may call."""

    async def check(self, url: str) -> None:
        """Nothing, or `webhook_refused` with the reason."""
        ...

    async def post(self, config: PushConfig, payload: bytes) -> bool:
        """Whether the address took the notification (2xx); `webhook_refused` when it may not be called."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Peers(Protocol):
    """Other agents, reached by A2A."""

    async def send(self, url: str, message: Message) -> tuple[str, Message]:
        """(name of the agent by its card, its answer); `peer_unreachable` or `peer_broke_protocol`."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
