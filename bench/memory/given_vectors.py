"""The embedder of the bench: it is told the vector of each text before, so that nobody's model is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bench.memory.vectors import DIMENSION, Vectors

__all__ = ["GivenVectors"]


class GivenVectors:
    """Gives each text the vector that it was told for it, once for a document."""

    model_id = "given/1"
    dimension = DIMENSION

    def __init__(self) -> None:
        self._of_text: dict[str, bytes] = {}

    def tell(self, text: str, vector: Vectors) -> None:
        """Know the vector of a text."""
        self._of_text[text] = vector.astype("<f4").tobytes()

    async def open(self) -> None:
        """Nothing to learn: it knows itself."""

    async def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> list[bytes]:
        """The vectors that were told."""
        return [self._of_text[text] if role == "query" else self._of_text.pop(text) for text in texts]

    async def close(self) -> None:
        """Nothing to end."""
