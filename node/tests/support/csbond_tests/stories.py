"""What the tests of messages and tasks need: a skill that plays a script, and a world in memory around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from csbond.flows.answer_message import answer_message
from csbond.flows.changes import Change
from csbond.flows.ports import Committed
from csbond.flows.show_task import show_task
from csbond.flows.turn import Answer, Ask, Done, Say, SkillCard, Turn
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import OWNER, Caller
from csbond.protocol.messages.events import ArtifactGrew, MessageReplied, StatusChanged, TaskEvent, TaskShown
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.task import TaskView
from csbond.testing import InMemoryLedger
from csbond_tests.small_world import small_world

__all__ = [
    "HeldLedger",
    "PlayedSkill",
    "answered",
    "ask_then_echo",
    "echo",
    "following",
    "incoming",
    "refusal",
    "said_in",
    "shown",
    "spoken_events",
    "told",
    "until",
    "world_of",
]

Script = Callable[[Turn], AsyncIterator[Answer]]

CARD = SkillCard("played", "Played", "Plays a script.", ("test",))


@dataclass
class PlayedSkill:
    """A skill that answers as its script says, and remembers what it was asked."""

    script: Script
    card: SkillCard = CARD
    turns: list[Turn] = field(default_factory=list)
    ended: int = 0
    """How many turns are over for the skill, whichever way."""

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        self.turns.append(turn)
        try:
            async for answer in self.script(turn):
                yield answer
        finally:
            self.ended += 1

    async def close(self) -> None:
        """Nothing to let go of."""


async def echo(turn: Turn) -> AsyncIterator[Answer]:
    """Says every part back."""
    yield Say(turn.message.parts, last_chunk=True)


async def ask_then_echo(turn: Turn) -> AsyncIterator[Answer]:
    """Says every part back and waits for more, until it is told to end."""
    yield Say(turn.message.parts, artifact_id=f"answer to {turn.message.id}", last_chunk=True)
    if turn.message.text == "end":
        yield Done((text_part("ended"),))
    else:
        yield Ask((text_part(f"and after {turn.message.text}?"),))


class HeldLedger(InMemoryLedger):
    """A ledger whose commits wait while a test holds them."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[Change] = []
        self.waiting = 0
        self.faults: list[Exception | None] = []
        """What the commits that come raise, one after the other; None lets one through."""
        self._soon: list[tuple[Change, asyncio.Future[int]]] = []
        self._free = asyncio.Event()
        self._free.set()

    def hold(self) -> None:
        """Let commits wait from now on."""
        self._free.clear()

    def let_go(self) -> None:
        """Let waiting commits through, and those that come."""
        self._free.set()

    async def commit(self, change: Change) -> Committed:
        self.waiting += 1
        try:
            await self._free.wait()
        finally:
            self.waiting -= 1
        for earlier, written in self._soon:
            written.set_result(await (await super().commit_soon(earlier)))
        self._soon.clear()
        fault = self.faults.pop(0) if self.faults else None
        if fault:
            raise fault
        committed = await super().commit(change)
        self.changes.append(change)
        return committed

    async def commit_soon(self, change: Change) -> asyncio.Future[int]:
        """The change goes with the next commit, as soon as that is let through."""
        if self._free.is_set():
            return await super().commit_soon(change)
        written = asyncio.get_running_loop().create_future()
        self._soon.append((change, written))
        return written

    async def append_chunk_soon(self, change: Change) -> None:
        """A chunk keeps its place behind what waits."""
        if self._soon:
            await self.commit_soon(change)
        else:
            await super().append_chunk_soon(change)


def world_of(script: Script = echo, ledger: Any = None, **changes: Any) -> Any:
    """A world in memory whose skill plays a script; keywords that a skill's card knows go there."""
    of_card = {name: changes.pop(name) for name in list(changes) if name in SkillCard.__dataclass_fields__}
    skill = PlayedSkill(script, replace(CARD, **of_card))
    return small_world(ledger or HeldLedger(), skill=skill, **changes)


_numbers = iter(range(1, 1_000_000))


def incoming(text: str | tuple[Part, ...] = "hello", **facts: Any) -> IncomingMessage:
    """A message to send; facts of the message and of the request are told apart by their names."""
    of_message = {name: facts.pop(name) for name in list(facts) if name in Message.__dataclass_fields__}
    if "message_metadata" in facts:
        of_message["metadata"] = facts.pop("message_metadata")
    parts = (text_part(text),) if isinstance(text, str) else text
    message = Message(**{"id": f"m-{next(_numbers)}", "role": "user", "parts": parts} | of_message)
    return IncomingMessage(message, **facts)


async def answered(world: Any, asked: IncomingMessage, caller: Caller = OWNER) -> Any:
    """The answer to a message: a task or a message, as the test knows."""
    return await answer_message(world, asked, caller)


async def refusal(world: Any, asked: IncomingMessage, caller: Caller = OWNER) -> CsbError:
    """Why a message is refused; nothing of it is left."""
    before = await world.ledger.counts()
    with pytest.raises(CsbError) as refused:
        await answered(world, asked, caller)
    assert await world.ledger.counts() == before, "something of a refused message was kept"
    assert not world.live.by_id, "a refused message left a live task"
    return refused.value


async def shown(world: Any, task_id: str, caller: Caller = OWNER) -> Any:
    """How a task stands."""
    return await show_task(world, task_id, caller)


def told(view: TaskView | Message) -> str:
    """The text of an answer: of a message, or of all artifacts of a task, their chunks joined."""
    if isinstance(view, Message):
        return view.text
    return "|".join(_joined(artifact.parts) for artifact in view.artifacts or ())


def _joined(parts: tuple[Part, ...]) -> str:
    return "".join(part.value for part in parts if part.kind is PartKind.TEXT)


def said_in(view: TaskView) -> list[str]:
    """The texts of the history."""
    return [message.text for message in view.history]


def spoken_events(events: list[TaskEvent]) -> list[str]:
    """Events as short words: `task submitted`, `+chunk`, `state`, `message`."""
    return [_spoken(event) for event in events]


def _spoken(event: TaskEvent) -> str:
    match event:
        case TaskShown(view=view):
            return f"task {view.task.state.value} {told(view)}".strip()
        case StatusChanged(task=task):
            return task.state.value
        case ArtifactGrew(artifact=artifact, append=append):
            return ("+" if append else "=") + _joined(artifact.parts)
        case MessageReplied(message=message):
            return f"message {message.text}"


async def until(condition: Callable[[], bool], rounds: int = 1000) -> None:
    """Let everything else run until a condition holds; fails when it never does."""
    for _ in range(rounds):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to be")


class following:
    """Collects what an iterator gives, in the background; `stop` leaves it as a client that vanishes would."""

    def __init__(self, events: AsyncIterator[TaskEvent]) -> None:
        self.events: list[Any] = []
        self._source = events
        self._task = asyncio.create_task(self._collect())

    async def _collect(self) -> None:
        async for event in self._source:
            self.events.append(event)

    @property
    def spoken(self) -> list[str]:
        return spoken_events(self.events)

    async def end(self) -> list[str]:
        """Wait for the end; raises what the iterator raised."""
        await asyncio.wait_for(self._task, 5)
        return self.spoken

    @property
    def ended(self) -> bool:
        return self._task.done()

    async def stop(self) -> None:
        """Leave early."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._source.aclose()  # type: ignore[attr-defined]
