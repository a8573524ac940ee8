"""What a node has acknowledged, and whether it still says so when it is asked for it by its id."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from csbond_tests.drills.wire import Wire

__all__ = ["Acknowledged", "HeldMemory", "HeldTask", "HeldWebhook", "missing", "texts_of"]

MemoryState = tuple[str, int] | None
"""Content and version; None once it is deleted."""

_ENDED = {"TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_INPUT_REQUIRED"}
_FOUND = 200


@dataclass
class HeldTask:
    """A task a client was shown: by its first event, or with the end of a turn."""

    id: str
    thread_id: str
    messages: list[str]
    """Ids of the messages to it that were accepted."""
    state: str = ""
    """How its last turn ended; empty while the client has not heard."""
    said: tuple[str, ...] = ()
    """The texts of its artifacts at that end."""


@dataclass
class HeldMemory:
    """A memory whose writing, editing or deletion was confirmed."""

    id: str
    state: MemoryState
    underway: MemoryState
    """What was asked for and not confirmed yet: after a crash it is one or the other."""


@dataclass(frozen=True, slots=True)
class HeldWebhook:
    """A webhook that was confirmed."""

    task_id: str
    id: str
    url: str


@dataclass
class Acknowledged:
    """Everything that was acknowledged."""

    tasks: dict[str, HeldTask] = field(default_factory=dict)
    memories: dict[str, HeldMemory] = field(default_factory=dict)
    webhooks: list[HeldWebhook] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tasks) + len(self.message_ids) + len(self.memories) + len(self.webhooks)

    @property
    def message_ids(self) -> set[str]:
        """The ids of all accepted messages."""
        return {id_ for task in self.tasks.values() for id_ in task.messages}

    def add(self, other: Acknowledged) -> None:
        """Take in what was acknowledged later."""
        self.tasks |= other.tasks
        self.memories |= other.memories
        self.webhooks += other.webhooks


async def missing(held: Acknowledged, port: int, token: str, connections: int = 4) -> list[str]:
    """Sentences on what is not there, or not as it was acknowledged; empty when all is well."""
    looks = iter([*_looks_at_tasks(held), *_looks_at_memories(held), *_looks_at_webhooks(held)])
    found: list[str] = []

    async def look_on() -> None:
        wire = await Wire.open(port, token)
        try:
            for look in looks:
                found.extend([sentence async for sentence in look(wire)])
        finally:
            wire.vanish()

    await asyncio.gather(*(look_on() for _ in range(connections)))
    return found


def _looks_at_tasks(held: Acknowledged) -> Iterable[Any]:
    for task in held.tasks.values():
        yield lambda wire, task=task: _task_faults(wire, task)
    for thread_id in {task.thread_id for task in held.tasks.values()}:
        wanted = {id_ for task in held.tasks.values() if task.thread_id == thread_id for id_ in task.messages}
        yield lambda wire, thread_id=thread_id, wanted=wanted: _thread_faults(wire, thread_id, wanted)


def _looks_at_memories(held: Acknowledged) -> Iterable[Any]:
    for memory in held.memories.values():
        yield lambda wire, memory=memory: _memory_faults(wire, memory)


def _looks_at_webhooks(held: Acknowledged) -> Iterable[Any]:
    for webhook in held.webhooks:
        yield lambda wire, webhook=webhook: _webhook_faults(wire, webhook)


async def _task_faults(wire: Wire, held: HeldTask) -> AsyncIterator[str]:
    answer = await wire.ask("GET", f"/tasks/{held.id}")
    if answer.status != _FOUND:
        yield f"the task {held.id} is gone: {answer.body}"
        return
    state = answer.body["status"]["state"]
    if state not in _ENDED:
        yield f"the task {held.id} hangs in {state}"
    if held.state and state != held.state:
        yield f"the task {held.id} is {state} after it was acknowledged as {held.state}"
    if held.state and texts_of(answer.body) != held.said:
        yield f"the task {held.id} says {texts_of(answer.body)} and said {held.said}"
    heard = {message["messageId"] for message in answer.body.get("history", [])}
    if lost := set(held.messages) - heard:
        yield f"the task {held.id} does not know the messages {lost}"


async def _thread_faults(wire: Wire, thread_id: str, wanted: set[str]) -> AsyncIterator[str]:
    heard: set[str] = set()
    cursor = "&"
    while cursor:
        answer = await wire.ask("GET", f"/v1/continuity/thread/{thread_id}?limit=100{cursor}")
        if answer.status != _FOUND:
            yield f"the thread {thread_id} is gone: {answer.body}"
            return
        heard |= {message["message_id"] for message in answer.body["messages"]}
        cursor = answer.body["next_cursor"] and f"&cursor={answer.body['next_cursor']}"
    if lost := wanted - heard:
        yield f"the thread {thread_id} has lost the messages {lost}"


async def _memory_faults(wire: Wire, held: HeldMemory) -> AsyncIterator[str]:
    answer = await wire.ask("GET", f"/v1/memory/{held.id}")
    found: MemoryState = None
    if answer.status == _FOUND:
        found = answer.body["content"], answer.body["metadata"]["version"]
    elif answer.body["error"]["code"] != "memory_not_found":
        yield f"the memory {held.id} is answered with {answer.body}"
    if found not in (held.state, held.underway):
        yield f"the memory {held.id} is {found} and was {held.state}"
    held.state = held.underway = found


async def _webhook_faults(wire: Wire, held: HeldWebhook) -> AsyncIterator[str]:
    answer = await wire.ask("GET", f"/tasks/{held.task_id}/pushNotificationConfigs/{held.id}")
    if answer.status != _FOUND or answer.body["url"] != held.url:
        yield f"the webhook {held.id} of the task {held.task_id} is {answer.body}"


def texts_of(task: dict[str, Any]) -> tuple[str, ...]:
    """The texts of the artifacts of a task."""
    return tuple("".join(part.get("text", "") for part in artifact["parts"]) for artifact in task.get("artifacts", []))
