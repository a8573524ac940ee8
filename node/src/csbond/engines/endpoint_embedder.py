"""An embedding model behind any OpenAI-compatible endpoint, for owners who have one (MEM-002 §2.2).

What is remembered and asked leaves the machine then.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from csbond.engines.embeddable import embeddable
from csbond.engines.embedding_frames import Role
from csbond.engines.endpoint import Endpoint, EndpointAddress, EndpointFailed
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.vectors import pack

BATCH = 32
"""Texts of one call: what every such endpoint takes."""
ANSWER_BYTES = 16 * 1024 * 1024
"""Bytes of an answer that are read: 32 vectors of 4,000 numbers take about a tenth of it."""
DIMENSION_MAX = 4_000
"""Numbers of a vector at most: as many as an index of any database here takes."""
_ATTEMPTS: dict[Role, int] = {"document": 4, "query": 1}
"""Calls for one batch: nobody waits for a document, and somebody for an answer."""
_ANSWER_S: dict[Role, float] = {"document": 60.0, "query": 10.0}
"""Seconds an answer may take: a search goes on by words when it takes longer."""
_NEXT_STEP = "search by words still works; vectors follow when the endpoint answers again"


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Which model, and where it is; addresses were checked by the settings of the node."""

    address: EndpointAddress = field(default_factory=EndpointAddress)
    """`/embeddings` is added to it."""
    model: str = ""
    dimension: int = 0
    """Numbers of a vector that are asked for; 0 leaves it to the model."""


class EndpointEmbedder:
    """Embeds texts by HTTP, 32 at a time; its vectors are those of one model in one dimension, or none at all."""

    def __init__(self, settings: EndpointSettings, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._settings = settings
        self._endpoint = Endpoint(settings.address, "the embedding endpoint", sleep)
        self._dimension = settings.dimension

    @property
    def model_id(self) -> str:
        """The address as a hash, the model, and the dimension."""
        place = hashlib.sha256(self._settings.address.url.encode()).hexdigest()[:8]
        return f"endpoint/{place}/{self._settings.model}/{self._dimension or 'unknown'}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; 0 until the model has told it."""
        return self._dimension

    async def open(self) -> None:
        """Learn the dimension from a first answer, unless the settings tell it; `embedder_unavailable`."""
        if not self._dimension:
            await self.embed(["dimension"], "query")

    async def embed(self, texts: Sequence[str], role: Role) -> list[bytes]:
        """A vector of length one a text; `embedder_unavailable` when the endpoint does not give one of each."""
        cleaned = [embeddable(text) or " " for text in texts]
        vectors: list[bytes] = []
        for start in range(0, len(cleaned), BATCH):
            vectors += await self._embedded(cleaned[start : start + BATCH], role)
        return vectors

    async def close(self) -> None:
        """Let go of the connections."""
        await self._endpoint.close()

    async def _embedded(self, texts: list[str], role: Role) -> list[bytes]:
        body: dict[str, Any] = {"model": self._settings.model, "input": texts, "encoding_format": "float"}
        if self._settings.dimension:
            body["dimensions"] = self._settings.dimension
        try:
            answer = await self._endpoint.answer(
                "/embeddings",
                orjson.dumps(body),
                seconds=_ANSWER_S[role],
                attempts=_ATTEMPTS[role],
                bytes_max=ANSWER_BYTES,
            )
        except EndpointFailed as fault:
            raise _unavailable(str(fault)) from fault
        vectors = _vectors(answer, len(texts), self._dimension)
        self._dimension = len(vectors[0]) // 4
        return vectors


def _vectors(body: bytes, count: int, dimension: int) -> list[bytes]:
    """The vectors of an answer in the order of the texts; `embedder_unavailable` for anything but one of each."""
    try:
        rows = {row["index"]: row["embedding"] for row in orjson.loads(body)["data"]}
        ordered = [[float(number) for number in rows[place]] for place in range(count)]
    except (ValueError, TypeError, KeyError, LookupError) as fault:
        raise _unavailable("the embedding endpoint answered outside its protocol") from fault
    size = dimension or len(ordered[0])
    if not 0 < size <= DIMENSION_MAX or any(len(numbers) != size for numbers in ordered):
        lengths = ", ".join(map(str, sorted({len(numbers) for numbers in ordered})))
        raise _unavailable(f"the embedding endpoint answered with vectors of {lengths} numbers, not of {size}")
    return [_of_length_one(numbers) for numbers in ordered]


def _of_length_one(numbers: list[float]) -> bytes:
    length = math.hypot(*numbers)
    if not math.isfinite(length) or length <= 0:
        raise _unavailable("the embedding endpoint answered with a vector that points nowhere")
    return pack(number / length for number in numbers)


def _unavailable(reason: str) -> Unavailable:
    return Unavailable("embedder_unavailable", reason, next_step=_NEXT_STEP)
