"""An HTTP endpoint that answers messages: one POST a message, the answer as text, JSON or a file."""

from __future__ import annotations

import codecs
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import httpx
from annotated_types import Ge

from csbond.flows.turn import Answer, Fail, Turn
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.part import Part, PartKind
from csbond.skills.endpoint import NO_ADDRESS, Endpoint, EndpointFailed, EndpointSettings, translated
from csbond.skills.kind import Kind
from csbond.skills.lines import lines_of
from csbond.skills.speech import Speech
from csbond.skills.turn_json import answers_from_text, memories_of, turn_to_json

_log = logging.getLogger(__name__)

_ACCEPT = "application/x-ndjson, application/json, text/*;q=0.9, */*;q=0.5"
_LINES = ("application/x-ndjson", "application/jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings(EndpointSettings):
    """Which endpoint, and what it is given."""

    memories: Annotated[int, Ge(0)] = 0
    """Memories that bear on the message and are handed over with it; they leave this machine with the call."""


class HttpSkill:
    """Posts each message to the endpoint. A call is made once: whoever asked may send the message again."""

    def __init__(self, settings: HttpSettings, home: Path) -> None:
        self._settings = settings
        self._endpoint = Endpoint(settings, home)
        self.card = settings.card("http", "Answers by an HTTP endpoint of its owner.")

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """What the endpoint says; that it failed is said without a word of its own."""
        memories = await memories_of(turn, self._settings.memories)
        body = json.dumps(turn_to_json(turn, memories), ensure_ascii=False).encode("utf-8", "replace")
        try:
            async with aclosing(self._answers(self._endpoint.request("", body, _ACCEPT))) as answers:
                async for answer in answers:
                    yield answer
        except EndpointFailed as fault:
            _log.warning("the endpoint of the skill %s", fault.logged)
            yield Fail(f"The endpoint behind this skill {fault}.")
        except LocalProtocolError as fault:
            _log.warning("the endpoint of the skill answered outside its contract: %s", fault.next_step)
            yield Fail(fault.reason)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._endpoint.client.aclose()

    async def _answers(self, request: httpx.Request) -> AsyncGenerator[Answer]:
        try:
            response = await self._endpoint.client.send(request, stream=True)
        except httpx.HTTPError as fault:
            raise translated(fault) from fault
        except NO_ADDRESS as fault:
            raise EndpointFailed("answered with a redirect, which is not followed") from fault
        try:
            if response.is_redirect:
                raise EndpointFailed("answered with a redirect, which is not followed")
            if not response.is_success:
                raise EndpointFailed(f"answered with the HTTP status {response.status_code}")
            async with aclosing(self._read(response)) as answers:
                async for answer in answers:
                    yield answer
        finally:
            await response.aclose()

    async def _read(self, response: httpx.Response) -> AsyncGenerator[Answer]:
        media = response.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
        async with aclosing(self._endpoint.chunks(response)) as chunks:
            if media.startswith("text/"):
                speech, decoder = Speech(), codecs.getincrementaldecoder("utf-8")("replace")
                async for chunk in chunks:
                    if text := decoder.decode(chunk):
                        yield speech.say(text)
                if text := decoder.decode(b"", final=True):
                    yield speech.say(text)
            elif media in _LINES:
                async with aclosing(lines_of(chunks)) as lines:
                    async for line in lines:
                        for answer in answers_from_text(line) if line.strip() else ():
                            yield answer
            else:
                body = b"".join([chunk async for chunk in chunks])
                for answer in _whole(media, body):
                    yield answer


def _whole(media: str, body: bytes) -> tuple[Answer, ...]:
    if not body:
        return ()
    if media == "application/json":
        return answers_from_text(body.decode("utf-8", "replace"))
    return (Speech().say(Part(PartKind.FILE, body, media), last=True),)


KIND = Kind("http", HttpSettings, HttpSkill)
