"""Other agents, reached through the client of the official SDK."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import A2AError
from google.protobuf.json_format import Error as NoProtoJson
from google.protobuf.json_format import MessageToDict, ParseDict

from csbond.protocol.continuity.given_id import checked_id
from csbond.protocol.errors import CsbError, RemoteProtocolError, Unavailable
from csbond.protocol.messages.address import host_and_port
from csbond.protocol.messages.answering import answer_parts
from csbond.protocol.messages.events import ArtifactGrew
from csbond.protocol.messages.json_v1_0 import artifact_from_json
from csbond.protocol.messages.message import Message, message_from_json, message_to_json
from csbond.protocol.messages.part import Part
from csbond.transport.outgoing import outgoing_tls, unreachable

TIMEOUT_S = 120.0
"""Seconds for one talk with another agent, its card included: skills may think for two minutes."""
ANSWER_BYTES = 16 * 1024 * 1024
"""Bytes of one answer: a file of the length a message may have here, in base64, with room for what is around it."""
SAID_LENGTH = 300
"""Characters of a foreign text that are shown: the beginning of an error names it."""
_WITHOUT_PROXY = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))
"""A proxy of the environment is on another machine, whose own loopback address leads elsewhere."""
_BROKEN = (
    A2AError,
    CsbError,
    NoProtoJson,
    httpx.InvalidURL,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
)
"""What reading an answer raises that is none: the client takes much of it as it comes."""


class A2aPeers:
    """The port `Peers`."""

    def __init__(
        self, tls: ssl.SSLContext | None = None, timeout_s: float = TIMEOUT_S, answer_bytes: int = ANSWER_BYTES
    ) -> None:
        self._timeout_s = timeout_s
        self._answer_bytes = answer_bytes
        self._client = httpx.AsyncClient(
            verify=tls or outgoing_tls(),
            timeout=timeout_s,
            follow_redirects=False,
            mounts=_WITHOUT_PROXY,
            headers={"accept-encoding": "identity"},
            event_hooks={"response": [self._bound]},
        )
        self._factory = ClientFactory(ClientConfig(streaming=False, httpx_client=self._client))

    async def send(self, url: str, message: Message) -> tuple[str, Message]:
        """(name of the agent by its card, its answer); `peer_unreachable` or `peer_broke_protocol`.

        `invalid_params` for an address that is none.
        """
        try:
            host_and_port(url)
            httpx.URL(url).host.encode()  # read as the client will do
        except (httpx.InvalidURL, ValueError) as fault:
            raise RemoteProtocolError("invalid_params", str(fault), field="url") from fault
        request = pb.SendMessageRequest(message=ParseDict(message_to_json(message), pb.Message()))
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._asked(url, request)
        except (httpx.HTTPError, TimeoutError) as fault:
            raise unreachable(url, fault) from fault
        except A2AClientError as fault:
            raise _unreachable_or_broken(url, fault) from fault
        except _BROKEN as fault:
            raise _broken(url, fault) from fault

    async def _asked(self, url: str, request: pb.SendMessageRequest) -> tuple[str, Message]:
        card = await A2ACardResolver(self._client, url).get_agent_card()
        usable = [interface for interface in card.supported_interfaces if _may_be_called(interface.url)]
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(usable)
        answer: Message | None = None
        async for event in self._factory.create(card).send_message(request):
            answer = _answer_of(MessageToDict(event)) or answer
        if answer is None:
            raise ValueError("it ended without an answer")
        for name, given in (("messageId", answer.id), ("contextId", answer.context_id), ("taskId", answer.task_id)):
            if given:
                checked_id(name, given)
        return printable(card.name), answer

    async def _bound(self, response: httpx.Response) -> None:
        """Let no more than the limit be read of an answer; a packed one could be of any length."""
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise ValueError("its answer is packed although that was not asked for")
        response.stream = _Bounded(cast(httpx.AsyncByteStream, response.stream), self._answer_bytes)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()


class _Bounded(httpx.AsyncByteStream):
    """The bytes of an answer, up to a limit; `ValueError` for more."""

    def __init__(self, inner: httpx.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for piece in self._inner:
            left -= len(piece)
            if left < 0:
                raise ValueError(f"its answer is longer than {self._limit} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def printable(foreign: str) -> str:
    """The beginning of a foreign text on one line, without what moves a cursor or cannot be encoded."""
    begun = foreign[:SAID_LENGTH]
    return "".join(each if each.isprintable() else " " for each in begun) + ("…" if len(foreign) > SAID_LENGTH else "")


def _may_be_called(url: str) -> bool:
    try:
        host_and_port(url)
    except ValueError:
        return False
    return True


def _unreachable_or_broken(url: str, fault: Exception) -> Unavailable | RemoteProtocolError:
    if isinstance(fault.__cause__, httpx.TransportError):
        return unreachable(url, fault)
    return _broken(url, fault)


def _broken(url: str, fault: Exception) -> RemoteProtocolError:
    said = str(fault)
    if isinstance(fault, KeyError):
        said = f"its answer lacks {said}"
    elif isinstance(fault, (LookupError, TypeError, AttributeError, RecursionError)):
        said = "its answer has not the form of one"
    return RemoteProtocolError("peer_broke_protocol", f"{url} refused or broke the protocol: {printable(said)}")


def _answer_of(event: dict[str, Any]) -> Message | None:
    """What an event of the other agent says: a message, or the artifacts of a task with its status message."""
    if "message" in event:
        return message_from_json(event["message"])
    task = event.get("task")
    if not task:
        return None
    parts: tuple[Part, ...] = answer_parts(
        ArtifactGrew(task["id"], task.get("contextId", ""), artifact_from_json(artifact))
        for artifact in task.get("artifacts", [])
    )
    status = task["status"].get("message")
    if status and not parts:
        return message_from_json(status)
    if not parts:
        return None
    metadata: dict[str, Any] = {}
    for artifact in task["artifacts"]:
        metadata |= artifact.get("metadata", {})
    return Message(task["id"], "agent", parts, task.get("contextId", ""), task["id"], metadata=metadata)
