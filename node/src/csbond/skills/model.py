"""A language model behind any OpenAI-compatible chat endpoint, spoken to by HTTP and heard as a stream."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import anyio
import httpx
from annotated_types import Ge, Le
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from csbond.flows.turn import Answer, Done, Fail, Turn
from csbond.skills.endpoint import NO_ADDRESS, Endpoint, EndpointFailed, EndpointSettings, translated
from csbond.skills.kind import Kind
from csbond.skills.lines import lines_of
from csbond.skills.prompt import prompt_of
from csbond.skills.settings import Seconds, invalid
from csbond.skills.speech import Speech
from csbond.skills.turn_json import memories_of

_log = logging.getLogger(__name__)

_BUSY = frozenset({429, 502, 503, 504})
"""Statuses that say "later", before a word was said: only then is a call made again."""
_FIRST_WAIT_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings(EndpointSettings):
    """Which model, and what it is told."""

    model: str = ""
    """Name of the model, as the endpoint knows it."""
    system_prompt: str = ""
    """What the owner tells the model it is and does; rules that keep data apart from instructions follow it."""
    memories: Annotated[int, Ge(0), Le(100)] = 8
    """Memories that bear on the message and are shown to the model; 0 shows none. They go to the endpoint."""
    prompt_chars: Annotated[int, Ge(1_000)] = 48_000
    """Characters of what the model is shown: about a third of a window of 32,000 tokens of English."""
    max_tokens: Annotated[int, Ge(0)] = 0
    """Tokens of an answer that the endpoint is asked to end at; 0 leaves it to the endpoint."""
    temperature: Annotated[float, Ge(-1), Le(2)] = -1.0
    """How freely it chooses its words, 0 to 2; -1 leaves it to the endpoint."""
    attempts: Annotated[int, Ge(1), Le(10)] = 4
    """Calls for one message, when the endpoint says it is busy or cannot be reached."""
    retry_wait_max_s: Seconds = 20.0
    """Longest wait in seconds before a further call; an endpoint that asks for more fails the message."""


class _Later(Exception):
    """The endpoint asks to be called later."""

    def __init__(self, fault: EndpointFailed, wait_s: float | None = None) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.wait_s = wait_s


class ModelSkill:
    """Shows each message to the model and says what it says."""

    def __init__(
        self, settings: ModelSettings, home: Path, sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    ) -> None:
        self._settings = settings
        self._endpoint = Endpoint(settings, home)
        self._sleep = sleep
        self.card = settings.card("model", f"Answers by the language model {settings.model}, from what it is told.")

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """The words of the model as they come; a fault of the endpoint is said without a word of its own."""
        memories = await memories_of(turn, self._settings.memories)
        body = self._body(prompt_of(turn, memories, self._settings.system_prompt, self._settings.prompt_chars))
        try:
            response = await self._called(body)
            try:
                speech = Speech()
                async with aclosing(self._words(response)) as words:
                    async for word in words:
                        yield speech.say(word)
                if not speech.begun:
                    raise EndpointFailed("gave an empty answer")
            finally:
                await response.aclose()
            yield Done()
        except EndpointFailed as fault:
            _log.warning("the model endpoint %s", fault.logged)
            yield Fail(f"The language model behind this skill {fault}.")

    async def close(self) -> None:
        """Let go of the connections."""
        await self._endpoint.client.aclose()

    def _body(self, messages: list[dict[str, str]]) -> bytes:
        settings = self._settings
        body: dict[str, Any] = {"model": settings.model, "messages": messages, "stream": True}
        if settings.max_tokens:
            body["max_tokens"] = settings.max_tokens
        if settings.temperature >= 0:
            body["temperature"] = settings.temperature
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    async def _called(self, body: bytes) -> httpx.Response:
        """The response once it begins, after as many calls as it takes and the settings allow."""
        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=stop_after_attempt(self._settings.attempts),
            retry=retry_if_exception_type(_Later),
            wait=self._wait_s,
            reraise=True,
        )
        try:
            return await retrying(self._call, body)
        except _Later as later:
            raise later.fault from later.__cause__

    async def _call(self, body: bytes) -> httpx.Response:
        request = self._endpoint.request("/chat/completions", body, "text/event-stream, application/json")
        try:
            response = await self._endpoint.client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout) as fault:
            raise _Later(translated(fault)) from fault
        except httpx.HTTPError as fault:
            raise translated(fault) from fault
        except NO_ADDRESS as fault:
            raise EndpointFailed("answered with a redirect, which is not followed") from fault
        if response.is_success:
            return response
        await response.aclose()
        failed = EndpointFailed(f"answered with the HTTP status {response.status_code}")
        if response.status_code not in _BUSY:
            raise failed
        wait_s = _seconds(response.headers.get("retry-after", ""))
        if wait_s is not None and wait_s > self._settings.retry_wait_max_s:
            raise EndpointFailed("is busy and asks to be called later")
        raise _Later(failed, wait_s)

    def _wait_s(self, state: RetryCallState) -> float:
        """What the endpoint asked for, or a second that doubles with each call (A2A-015)."""
        later = state.outcome.exception() if state.outcome else None
        asked = later.wait_s if isinstance(later, _Later) else None
        doubled = _FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1)
        return asked if asked is not None else min(doubled, self._settings.retry_wait_max_s)

    async def _words(self, response: httpx.Response) -> AsyncGenerator[str]:
        """The content of the answer, piece by piece; `EndpointFailed` when it breaks off or is not of the protocol."""
        async with aclosing(self._endpoint.chunks(response)) as chunks:
            if "json" in response.headers.get("content-type", ""):
                word, _ = _content(b"".join([chunk async for chunk in chunks]), "message")
                if word:
                    yield word
                return
            async with aclosing(lines_of(chunks)) as lines:
                async for line in lines:
                    field, _, data = line.partition(":")
                    if field != "data":
                        continue
                    if data.strip() == "[DONE]":
                        return
                    word, finished = _content(data.encode(), "delta")
                    if word:
                        yield word
                    if finished:
                        return
        raise EndpointFailed("broke its answer off")


def _make(settings: ModelSettings, home: Path) -> ModelSkill:
    """The skill of these settings; `setting_invalid` without a model or an address that may be called."""
    if not settings.model:
        raise invalid("model", "is empty", "give the name of a model that the endpoint knows")
    return ModelSkill(settings, home)


def _content(raw: bytes, place: str) -> tuple[str, bool]:
    """The text in the first choice, and whether it says that the answer is finished."""
    try:
        choices = json.loads(raw)["choices"]
        if not choices:  # a last chunk may hold nothing but figures of usage
            return "", False
        content = choices[0][place].get("content") or ""
        if not isinstance(content, str):
            raise TypeError("content is no text")
        finished = choices[0].get("finish_reason")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as fault:
        raise EndpointFailed("answered outside its protocol") from fault
    if finished == "content_filter":
        raise EndpointFailed("withheld its answer")
    return content, finished is not None


def _seconds(retry_after: str) -> float | None:
    """The seconds of a Retry-After header; a date in it is as good as none, for the clocks may differ."""
    return float(retry_after) if retry_after.strip().isdigit() else None


KIND = Kind("model", ModelSettings, _make)
