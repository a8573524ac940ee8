"""What a skill is asked, and the ways in which it may answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part
from csbond.protocol.messages.task import Task


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that a search found, with a score from 0 to 1."""

    entry: MemoryEntry
    score: float
    cosine: float | None = None
    """How near it is in meaning, -1 to 1, whatever else was found; None when only its words were compared."""
    why: Mapping[str, Any] | None = None
    """What spoke for it, where that was asked for."""


Recall = Callable[[str, int], Awaitable[Sequence[Found]]]
"""(query, limit) → what this caller may be told, best first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to answer, with what is in mind: the window of the thread and the memory of the node."""

    message: Message
    caller: Caller
    task: Task
    window: tuple[ThreadMessage, ...]
    """The latest messages of the thread, oldest first, without the one to answer."""
    summary: Mapping[str, Any] | None
    """What lies beyond the window, with the fields of A2A-004; None when nothing does."""
    recall: Recall
    agent_name: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Working:
    """Still at it; the text is shown as the status of the task."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """A chunk of the answer: artifacts are grown chunk by chunk, in order."""

    parts: tuple[Part, ...]
    artifact_id: str = "answer"
    name: str = ""
    append: bool = False
    last_chunk: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """The task is completed; parts, if any, are the closing status message."""

    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """The skill needs something from the caller: the task waits for a further message."""

    parts: tuple[Part, ...]
    auth: bool = False
    """True when what is needed is a credential."""


@dataclass(frozen=True, slots=True)
class Reject:
    """The skill will not do this; the reason goes to the caller."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fail:
    """The skill tried and could not; the reason goes to the caller, so it holds nothing internal."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A bare message instead of a task; only as the first and only answer of a skill that declares it."""

    parts: tuple[Part, ...]


Answer = Working | Say | Done | Ask | Reject | Fail | Reply


@dataclass(frozen=True, slots=True)
class SkillCard:
    """How a skill is shown in the agent card, and its settings that the stories need."""

    id: str
    name: str
    description: str
    tags: tuple[str, ...]
    examples: tuple[str, ...] = ()
    input_modes: tuple[str, ...] = ("text/plain", "application/json", "application/octet-stream")
    output_modes: tuple[str, ...] = ("text/plain", "application/json", "application/octet-stream")
    window: int = 20
    """How many messages of the thread a turn holds: the context window of this skill (A2A-004 §4.3)."""
    summarises: bool = True
    """Whether a turn holds a summary of what lies beyond the window; a skill that reads none saves its making."""
    timeout_s: float = 120.0
    """After this many seconds without an end the task fails."""
    may_reply: bool = False
    """Whether `Reply` is among its answers; the first event of a stream then waits for the skill."""
    effects: bool = True
    """Whether an answer may change anything outside of this node: such a skill begins when its message is on disk.

    One without effects begins at once, and what it was asked and what it said go to disk together."""


class Skill(Protocol):
    """What can answer messages: a Python function, a subprocess, an HTTP endpoint, a model, or the built-in memory."""

    @property
    def card(self) -> SkillCard:
        """How the skill is shown."""
        ...

    def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """The answers to one message, in order; ending without Done, Ask, Reject, Fail or Reply means Done.

        Cancelling is closing the iterator. An exception fails the task without telling the caller its text.
        """
        ...

    async def close(self) -> None:
        """Let go of processes and connections."""
        ...
