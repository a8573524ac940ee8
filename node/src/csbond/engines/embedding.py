"""The embedders that come inside packages: a sentence encoder in a process of its own (MEM-002 §2.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from csbond.engines.embeddable import TEXT_LIMIT, embeddable
from csbond.engines.embedding_frames import Role
from csbond.engines.embedding_link import COMMAND, Link, LinkBroken
from csbond.engines.embedding_model import ENCODERS, EncoderModel
from csbond.protocol.errors import Unavailable

_NEXT_STEP = "search by words still works; vectors follow when the process runs again"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """How the embedder is used."""

    batches_ahead: int = 2
    """Batches of documents sent before the first is answered: keeps the process busy, holds little."""
    text_limit: int = TEXT_LIMIT
    """Code points of a text that are read."""
    start_seconds: float = 60.0
    """Loading takes one to three seconds on a quiet machine."""
    answer_seconds: float = 0.0
    """Seconds for a batch; 0 is as long as the encoder may need."""


class SentenceEmbedder:
    """Embeds texts in one child process, started by the first call and once more when it dies."""

    def __init__(
        self, settings: EmbeddingSettings, command: Sequence[str] = COMMAND, model: EncoderModel = ENCODERS["use"]
    ) -> None:
        self._settings = settings
        self._model = model
        self._command = (*command, model.name)
        self._answer_seconds = settings.answer_seconds or model.answer_seconds
        self._link: Link | None = None
        self._starting = asyncio.Lock()
        self._ahead = asyncio.Semaphore(settings.batches_ahead)
        self._closed = False

    @property
    def model_id(self) -> str:
        """The encoder, its release and the means it is centred by."""
        return self._model.model_id

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._model.dimension

    @property
    def process_id(self) -> int | None:
        """The child process, while there is one."""
        return self._link.process_id if self._link is not None and self._link.alive else None

    async def open(self) -> None:
        """Nothing to ask: the model is known before its process runs."""

    async def embed(self, texts: Sequence[str], role: Role) -> list[bytes]:
        """A vector a text; queries overtake documents that still wait.

        `embedder_unavailable` when the process cannot be started, died twice, failed or did not answer in time.
        """
        cleaned = [embeddable(text, self._settings.text_limit) for text in texts]
        size = len(cleaned) if role == "query" else self._model.batch_texts
        batches = [cleaned[at : at + size] for at in range(0, len(cleaned), size or 1)]
        answered = await asyncio.gather(*(self._embed_batch(batch, role) for batch in batches))
        return [vector for vectors in answered for vector in vectors]

    async def close(self) -> None:
        """End the process; what still waits for it gets `embedder_unavailable`."""
        self._closed = True
        async with self._starting:
            if self._link is not None:
                await self._link.close()

    async def _embed_batch(self, texts: list[str], role: Role) -> list[bytes]:
        if role == "query":
            return self._vectors(await self._ask(texts, role), len(texts))
        async with self._ahead:
            return self._vectors(await self._ask(texts, role), len(texts))

    async def _ask(self, texts: list[str], role: Role) -> bytes:
        try:
            return await (await self._running()).ask(texts, role, self._answer_seconds)
        except LinkBroken:
            try:
                return await (await self._running()).ask(texts, role, self._answer_seconds)
            except LinkBroken as broken:
                raise Unavailable("embedder_unavailable", str(broken), next_step=_NEXT_STEP) from broken

    async def _running(self) -> Link:
        async with self._starting:
            if self._closed:
                raise Unavailable("embedder_unavailable", "the embedder is closed")
            if self._link is None or not self._link.alive:
                self._link = await Link.open(self._command, self._settings.start_seconds)
            return self._link

    def _vectors(self, payload: bytes, count: int) -> list[bytes]:
        size = self._model.dimension * 4
        if len(payload) != count * size:
            raise Unavailable("embedder_unavailable", f"{len(payload)} bytes came back for {count} texts")
        return [payload[at : at + size] for at in range(0, len(payload), size)]
