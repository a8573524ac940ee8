"""Threads and what was said in them (A2A-004 §4.1, CSB v1.0 §1.2)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.messages.message import Message

TITLE_LENGTH = 80
"""Characters of the first words that name a thread in a list."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A logical conversation of one caller; it outlives tasks and sessions."""

    id: str
    caller_key: str
    space: str
    opened_at: int
    updated_at: int
    message_count: int = 0
    title: str = ""
    """The first words said in it."""


@dataclass(frozen=True, slots=True)
class Session:
    """One stretch of a thread: an A2A context; `continuity_ref` names the session before."""

    id: str
    thread_id: str
    caller_key: str
    opened_at: int
    continuity_ref: str = ""
    agent_lifespan: float = 0.0


@dataclass(frozen=True, slots=True)
class Sender:
    """Who a message says it is from: a claim until it is verified."""

    name: str = ""
    did: str = ""


@dataclass(frozen=True, slots=True)
class Listener:
    """Who hears what was said: messages of its Spaces, and private ones only of its own."""

    caller_key: str
    spaces: frozenset[str]

    def hears(self, message: ThreadMessage) -> bool:
        """Whether a message is for this listener."""
        return message.space in self.spaces and (message.caller_key == self.caller_key or not message.private)


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """A message kept whole in its thread."""

    thread_id: str
    caller_key: str
    space: str
    session_id: str
    task_id: str
    sender: Sender
    said_at: int
    message: Message
    parent_id: str = ""
    """The message it answers (A2A-004 §4.2)."""
    importance: float = 0.5
    private: bool = False
    """Marked private by its sender: never part of a summary."""
    seq: int = 0
    """The order within the Space, given by the ledger."""

    @property
    def title(self) -> str:
        """What it would name a new thread: its first words, unless they are private."""
        return "" if self.private else self.message.text[:TITLE_LENGTH]
