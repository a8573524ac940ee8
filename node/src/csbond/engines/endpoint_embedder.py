"""An embedding model behind any OpenAI-compatible endpoint, for owners who have one (MEM-002 §2.2).

What is remembered and asked leaves the machine then. Nothing is followed elsewhere, and the key stays unseen.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import os
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import orjson
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from csbond.engines.embeddable import embeddable
from csbond.engines.embedding_frames import Role
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.vectors import pack

BATCH = 32
"""Texts of one call: what every such endpoint takes."""
ANSWER_BYTES = 16 * 1024 * 1024
"""Bytes of an answer that are read: 32 vectors of 4,000 numbers take about a tenth of it."""
DIMENSION_MAX = 4_000
"""Numbers of a vector at most: as many as an index of any database here takes."""
_BUSY = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses that say "later"."""
_FIRST_WAIT_S, _WAIT_MAX_S = 1.0, 20.0
_ATTEMPTS: dict[Role, int] = {"document": 4, "query": 1}
"""Calls for one batch: nobody waits for a document, and somebody for an answer."""
_ANSWER_S: dict[Role, float] = {"document": 60.0, "query": 10.0}
"""Seconds an answer may take: a search goes on by words when it takes longer."""
_NEXT_STEP = "search by words still works; vectors follow when the endpoint answers again"


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where the model is; addresses were checked by the settings of the node."""

    url: str = ""
    """The address that `/embeddings` is added to."""
    model: str = ""
    dimension: int = 0
    """Numbers of a vector that are asked for; 0 leaves it to the model."""
    token_file: str = ""
    """Read before each call."""
    token_env: str = ""
    """Name of the variable that holds the key, when no file does."""
    ca_file: str = ""


class _Later(Exception):
    """The endpoint asks to be called later, or cannot be reached."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class EndpointEmbedder:
    """Embeds texts by HTTP, 32 at a time; its vectors are those of one model in one dimension, or none at all."""

    def __init__(self, settings: EndpointSettings, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._dimension = settings.dimension
        self._opened: httpx.AsyncClient | None = None

    @property
    def model_id(self) -> str:
        """The address as a hash, the model, and the dimension."""
        place = hashlib.sha256(self._settings.url.encode()).hexdigest()[:8]
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
        if self._opened is not None:
            await self._opened.aclose()

    async def _embedded(self, texts: list[str], role: Role) -> list[bytes]:
        body: dict[str, Any] = {"model": self._settings.model, "input": texts, "encoding_format": "float"}
        if self._settings.dimension:
            body["dimensions"] = self._settings.dimension
        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=stop_after_attempt(_ATTEMPTS[role]),
            retry=retry_if_exception_type(_Later),
            wait=_wait_s,
            reraise=True,
        )
        try:
            answer: bytes = await retrying(self._called, orjson.dumps(body), role)
        except _Later as later:
            raise _unavailable(str(later)) from later
        vectors = _vectors(answer, len(texts), self._dimension)
        self._dimension = len(vectors[0]) // 4
        return vectors

    async def _called(self, body: bytes, role: Role) -> bytes:
        """The body of the answer; `_Later` when another call may do better."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        request = self._client().build_request(
            "POST",
            f"{self._settings.url}/embeddings",
            content=body,
            headers=headers | self._authorization(),
            timeout=httpx.Timeout(_ANSWER_S[role], connect=5.0),
        )
        try:
            async with asyncio.timeout(_ANSWER_S[role]):
                response = await self._client().send(request, stream=True)
                try:
                    return await _read(response)
                finally:
                    await response.aclose()
        except (httpx.HTTPError, TimeoutError) as fault:
            raise _Later(f"the embedding endpoint does not answer ({type(fault).__name__})") from fault

    def _client(self) -> httpx.AsyncClient:
        if self._opened is None:
            self._opened = httpx.AsyncClient(verify=self._trust(), follow_redirects=False, trust_env=False)
        return self._opened

    def _trust(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self._settings.ca_file or None)
        except (OSError, ssl.SSLError) as fault:
            raise _unavailable(f"{self._settings.ca_file} holds no certificates for the endpoint") from fault

    def _authorization(self) -> dict[str, str]:
        """The header with the key; what is wrong with it is told without it."""
        settings = self._settings
        if settings.token_file:
            try:
                token = Path(settings.token_file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as fault:
                raise _unavailable("the key of the embedding endpoint cannot be read from its file") from fault
        elif settings.token_env:
            token = os.environ.get(settings.token_env, "").strip()
        else:
            return {}
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise _unavailable("the key of the embedding endpoint is missing, or is none")
        return {"Authorization": f"Bearer {token}"}


async def _read(response: httpx.Response) -> bytes:
    """The body of a good answer; nothing of another is told, for it may hold what was asked."""
    if response.status_code in _BUSY:
        raise _Later(
            f"the embedding endpoint answered with the HTTP status {response.status_code}",
            _seconds(response.headers.get("retry-after", "")),
        )
    if not response.is_success:
        raise _unavailable(f"the embedding endpoint answered with the HTTP status {response.status_code}")
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > ANSWER_BYTES:
            raise _unavailable(f"the embedding endpoint answered with more than {ANSWER_BYTES} bytes")
    return body


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


def _wait_s(state: RetryCallState) -> float:
    """What the endpoint asked for, or a second that doubles with each call."""
    later = state.outcome.exception() if state.outcome else None
    asked = later.wait_s if isinstance(later, _Later) else None
    return min(_FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1) if asked is None else asked, _WAIT_MAX_S)


def _seconds(retry_after: str) -> float | None:
    """The seconds of a Retry-After header; a date in it is as good as none, for the clocks may differ."""
    return float(retry_after) if retry_after.strip().isdigit() else None


def _unavailable(reason: str) -> Unavailable:
    return Unavailable("embedder_unavailable", reason, next_step=_NEXT_STEP)
