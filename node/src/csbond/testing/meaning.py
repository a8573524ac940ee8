"""Twins of the embedder and the vector index: a few concepts by several words each, and a look at every vector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from csbond.flows.ports import IndexState
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import Wanted, lets_in
from csbond.protocol.memory.vectors import cosine, pack

CONCEPTS: tuple[tuple[str, ...], ...] = (
    ("cat", "kitten", "feline", "猫"),
    ("dog", "puppy", "狗"),
    ("rain", "umbrella", "weather", "雨", "伞"),
)
"""Words of one row mean the same, in either language."""


@dataclass(slots=True)
class ConceptEmbedder:
    """Knows a few concepts; the vector of a text is what it mentions, of length one."""

    model_id: str = "concepts-1"
    concepts: Sequence[Sequence[str]] = CONCEPTS
    failing: bool = False
    """Let it not answer, as a crashed model would."""
    embedded: list[str] = field(default_factory=list)
    """Every text it was asked for, in order."""

    @property
    def dimension(self) -> int:
        """One number a concept, and one that all texts share."""
        return len(self.concepts) + 1

    async def open(self) -> None:
        """Nothing to ask: everything is known."""

    async def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> list[bytes]:
        """A vector a text; `embedder_unavailable` while it is failing."""
        if self.failing:
            raise Unavailable("embedder_unavailable", "the embedder sleeps")
        self.embedded += texts
        return [self._vector(text.casefold()) for text in texts]

    def _vector(self, text: str) -> bytes:
        numbers = [float(any(word in text for word in words)) for words in self.concepts] + [0.25]
        length = math.hypot(*numbers)
        return pack(number / length for number in numbers)

    async def close(self) -> None:
        """Nothing to end."""


@dataclass(slots=True)
class ScannedIndex:
    """Nearest neighbours by comparing with every vector."""

    filed: dict[tuple[str, str], tuple[bytes, Facets]] = field(default_factory=dict)

    def begin(self, dimension: int) -> None:
        """Forget everything."""
        self.filed.clear()

    def put(self, space: str, entry_id: str, vector: bytes, facets: Facets) -> None:
        """Add or replace a vector and what is asked of its entry."""
        self.filed[space, entry_id] = vector, facets

    def refile(self, space: str, entry_id: str, facets: Facets) -> bool:
        """Let an entry that changed keep its vector; False when it has none here."""
        if (space, entry_id) not in self.filed:
            return False
        self.filed[space, entry_id] = self.filed[space, entry_id][0], facets
        return True

    def drop(self, space: str, entry_id: str) -> None:
        """Forget a vector; one that is not there is no error."""
        self.filed.pop((space, entry_id), None)

    def search(self, space: str, query: bytes, limit: int, wanted: Wanted | None = None) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest, best first; equal ones in the order of their ids."""
        asked = wanted or Wanted()
        hits = [
            (entry_id, cosine(query, vector))
            for (of_space, entry_id), (vector, facets) in self.filed.items()
            if of_space == space
            and (asked.ids is None or entry_id in asked.ids)
            and lets_in(asked.filter, asked.audience, facets)
        ]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit]

    def count(self, space: str) -> int:
        """How many vectors a Space has."""
        return sum(of_space == space for of_space, _ in self.filed)

    def unsettled(self, space: str) -> bool:
        """Never."""
        return False

    def settle(self, space: str) -> None:
        """Nothing is left to do."""

    def state(self, space: str) -> IndexState:
        """Exact, and nothing to say about it."""
        return IndexState("exact")
