"""The default embedder: a multilingual sentence encoder in a process of its own (MEM-002 §2.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from csbond.engines.embedding_frames import Role
from csbond.engines.embedding_link import COMMAND, Link, LinkBroken
from csbond.engines.embedding_model import DIMENSION, installed, model_id
from csbond.protocol.errors import Unavailable

_NEXT_STEP = "search by words still works; vectors follow when the process runs again"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """How the embedder is used."""

    enabled: bool = True
    batch_texts: int = 8
    """Texts sent at once; larger batches are no faster."""
    batches_ahead: int = 2
    """Batches of documents sent before the first is answered: keeps the process busy, holds little."""
    text_limit: int = 2048
    """Code points of a text that are read: the content limit of an entry (MEM-001 §1.3)."""
    start_seconds: float = 60.0
    """Loading takes one to three seconds on a quiet machine."""
    answer_seconds: float = 60.0
    """A full batch of the longest texts takes under two seconds."""


def load_embedder(settings: EmbeddingSettings) -> SentenceEmbedder | None:
    """The embedder, its process not yet started; None when it is switched off or the extra `semantic` is absent."""
    return SentenceEmbedder(settings) if settings.enabled and installed() else None


class SentenceEmbedder:
    """Embeds texts in one child process, started by the first call and once more when it dies."""

    def __init__(self, settings: EmbeddingSettings, command: Sequence[str] = COMMAND) -> None:
        self._settings = settings
        self._command = command
        self._link: Link | None = None
        self._starting = asyncio.Lock()
        self._ahead = asyncio.Semaphore(settings.batches_ahead)
        self._closed = False

    @property
    def model_id(self) -> str:
        """The encoder, its release and the means it is centred by."""
        return model_id()

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return DIMENSION

    @property
    def process_id(self) -> int | None:
        """The child process, while there is one."""
        return self._link.process_id if self._link is not None and self._link.alive else None

    async def embed(self, texts: Sequence[str], role: Role) -> list[bytes]:
        """A vector a text; queries overtake documents that still wait.

        `embedder_unavailable` when the process cannot be started, died twice, failed or did not answer in time.
        """
        cleaned = [_embeddable(text, self._settings.text_limit) for text in texts]
        size = len(cleaned) if role == "query" else self._settings.batch_texts
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
            return await (await self._running()).ask(texts, role, self._settings.answer_seconds)
        except LinkBroken:
            try:
                return await (await self._running()).ask(texts, role, self._settings.answer_seconds)
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
        size = DIMENSION * 4
        if len(payload) != count * size:
            raise Unavailable("embedder_unavailable", f"{len(payload)} bytes came back for {count} texts")
        return [payload[at : at + size] for at in range(0, len(payload), size)]


def _embeddable(text: str, limit: int) -> str:
    """The text as the encoder takes it: no NUL, no half of a surrogate pair, not longer than is read."""
    text = text[:limit].replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
