"""Whole nodes in one process, without sockets or files: they talk to each other and keep everything in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from csbond.flows.answer_message import answer_message
from csbond.flows.send_message import Talk, send_message
from csbond.flows.turn import Skill
from csbond.flows.world import Agent, World
from csbond.protocol.errors import Unavailable
from csbond.protocol.messages.answering import answer_parts
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller
from csbond.protocol.messages.events import ArtifactGrew
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.task import TaskView
from csbond.skills.memory import MemorySkill
from csbond.testing.memory_ledger import InMemoryLedger
from csbond.testing.ports import CountedIdentifiers, FixedSigner, KeptJournal, NullWebhooks, SetClock


@dataclass
class Neighbours:
    """The port `Peers` among nodes of one process, by their address."""

    by_url: dict[str, InProcessNode] = field(default_factory=dict)

    async def send(self, url: str, message: Message) -> tuple[str, Message]:
        """(name of the agent, its answer); `peer_unreachable` when nobody lives at the address."""
        node = self.by_url.get(url)
        if node is None:
            raise Unavailable("peer_unreachable", f"nobody lives at {url}")
        return node.name, said_by(await answer_message(node.world, IncomingMessage(message), ANONYMOUS))

    async def close(self) -> None:
        """There is nothing to let go of."""


@dataclass
class InProcessNode:
    """An agent with a world of its own."""

    name: str
    url: str
    world: World

    async def hear(self, text: str, caller: Caller = OWNER, context_id: str = "") -> str:
        """What the agent answers to a text."""
        message = Message(self.world.identifiers.unique(), "user", (text_part(text),), context_id)
        return said_by(await answer_message(self.world, IncomingMessage(message), caller)).text

    async def talk_to(self, other: InProcessNode, text: str, thread_id: str = "") -> Talk:
        """Let this agent say a text to another one."""
        return await send_message(self.world, other.url, text, thread_id, OWNER)


def in_process_node(name: str, neighbours: Neighbours, clock: SetClock, skill: Skill | None = None) -> InProcessNode:
    """A node of its own name and memory; `skill` instead of the built-in one."""
    signer = FixedSigner(name)
    identifiers = CountedIdentifiers(given=1000 * len(neighbours.by_url))
    world = World(
        agent=Agent(name, signer.did),
        clock=clock,
        identifiers=identifiers,
        ledger=InMemoryLedger(signer, name),
        skill=skill or MemorySkill(),
        webhooks=NullWebhooks(),
        peers=neighbours,
        journal=KeptJournal(),
    )
    node = InProcessNode(name, f"http://{name.lower()}.example", world)
    neighbours.by_url[node.url] = node
    return node


def two_nodes(first: str = "Mira", second: str = "Bo") -> tuple[InProcessNode, InProcessNode]:
    """Two nodes that know each other, on one clock."""
    neighbours, clock = Neighbours(), SetClock()
    return in_process_node(first, neighbours, clock), in_process_node(second, neighbours, clock)


def said_by(answer: TaskView | Message) -> Message:
    """What an answer says, as one message."""
    if isinstance(answer, Message):
        return answer
    task = answer.task
    parts = answer_parts(ArtifactGrew(task.id, task.context_id, artifact) for artifact in answer.artifacts or ())
    if not parts and task.status_message:
        return task.status_message
    metadata: dict[str, Any] = {}
    for artifact in answer.artifacts or ():
        metadata |= artifact.metadata
    return Message(f"{task.id}-answer", "agent", parts, task.context_id, task.id, metadata=metadata)
