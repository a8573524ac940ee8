"""How much is measured, and what each row of it is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ADD = "add, from the first on"
WRITE = "add"
WRITE_BY_MANY = "add, 64 writers at once"
SEARCH = "search"
FILTERED = {name: f"search by {name}" for name in ("level", "type", "tag", "project")}
GROWN = "search, as memory grows"
GROWN_FAISS = "search, as memory grows, FAISS"
READ = "read by id"
READ_LEDGER = "read by id, the ledger alone"
READ_BARE = "read of the bare row"
HTTP_EMPTY = "GET that does nothing"
HTTP_HOT = "GET of a hot memory"
HTTP_WARM = "GET of a warm memory"

DURABLE_PEERS = ("LangGraph", "Qdrant")
VECTOR_PEER = "Chroma"
PEERS = (*DURABLE_PEERS, VECTOR_PEER)
WRITERS = 64
BATCH = 100
"""Entries of one request where it only matters that they are there."""
QUESTIONS = 1_000
"""Different ones, asked over and over."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure."""

    rounds: int
    say: Callable[[str], None]
    """Hears what is done next."""
    few: int = 1_000
    small: int = 10_000
    """Entries of the stores that are compared with others."""
    large: int = 100_000
    """Entries of the memory that is compared with a small one of ours."""
    huge: int = 0
    """Entries of one that is only written to, for who has the time; 0: none."""
    fresh: int = 500
    """Added one by one to each store that is compared with others, in each round."""
    adds: int = 200
    """By one writer to what is there, in each round."""
    adds_by_many: int = 6 * WRITERS
    asked: int = 100
    """Questions in each round."""
    reads: int = 400
    """By id, in each round."""
    requests: int = 1_000
    """Over HTTP to each route, in each round."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes at which the cost of a write is looked at."""
        return tuple(size for size in (self.few, self.small, self.large, self.huge) if size)

    @property
    def asked_among(self) -> tuple[int, ...]:
        """Of how many documents the questions ask one; more than the large ones are only written to."""
        return tuple(size for size in self.sizes if size <= self.large)

    @property
    def documents(self) -> int:
        """How many the corpus needs: what is there, and what every round adds."""
        return max(self.sizes) + (self.rounds + 1) * (self.adds + self.adds_by_many)
