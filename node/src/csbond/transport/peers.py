"""Other agents, reached through the client of the official SDK."""

from __future__ import annotations

import ssl
from typing import Any

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import A2AError
from google.protobuf.json_format import MessageToDict, ParseDict

from csbond.protocol.errors import RemoteProtocolError, Unavailable
from csbond.protocol.messages.answering import answer_parts
from csbond.protocol.messages.events import ArtifactGrew
from csbond.protocol.messages.json_v1_0 import artifact_from_json
from csbond.protocol.messages.message import Message, message_from_json, message_to_json
from csbond.protocol.messages.part import Part
from csbond.transport.outgoing import outgoing_tls, unreachable

TIMEOUT_S = 120.0
"""Seconds to wait for the answer of another agent: skills may think for two minutes."""
_WITHOUT_PROXY = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))
"""A proxy of the environment is on another machine, whose own loopback address leads elsewhere."""


class A2aPeers:
    """The port `Peers`."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._client = httpx.AsyncClient(
            verify=tls or outgoing_tls(), timeout=TIMEOUT_S, follow_redirects=False, mounts=_WITHOUT_PROXY
        )
        self._factory = ClientFactory(ClientConfig(streaming=False, httpx_client=self._client))

    async def send(self, url: str, message: Message) -> tuple[str, Message]:
        """(name of the agent by its card, its answer); `peer_unreachable` or `peer_broke_protocol`."""
        try:
            card = await A2ACardResolver(self._client, url).get_agent_card()
            request = pb.SendMessageRequest(message=ParseDict(message_to_json(message), pb.Message()))
            answer: Message | None = None
            async for event in self._factory.create(card).send_message(request):
                answer = _answer_of(MessageToDict(event)) or answer
        except httpx.HTTPError as fault:
            raise unreachable(url, fault) from fault
        except A2AClientError as fault:
            raise _unreachable_or_broken(url, fault) from fault
        except (A2AError, ValueError, KeyError) as fault:
            raise RemoteProtocolError("peer_broke_protocol", f"{url} refused or broke the protocol: {fault}") from fault
        if answer is None:
            raise RemoteProtocolError("peer_broke_protocol", f"{url} ended without an answer")
        return card.name, answer

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()


def _unreachable_or_broken(url: str, fault: Exception) -> Unavailable | RemoteProtocolError:
    if isinstance(fault.__cause__, httpx.TransportError):
        return unreachable(url, fault)
    return RemoteProtocolError("peer_broke_protocol", f"{url} refused or broke the protocol: {fault}")


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
