"""Threads for tests: one line of speech is one message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from csbond.protocol.continuity.thread import Sender, ThreadMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part

__all__ = ["conversation", "said"]


def said(text: str, by: str = "Alice", number: int = 1, **changes: Any) -> ThreadMessage:
    """Return a message of a thread; what Luna says, the agent says."""
    message = Message(f"m-{number}", "agent" if by == "Luna" else "user", (text_part(text),))
    kept = ThreadMessage("t-1", "owner", "home", "s-1", "task-1", Sender(by), number, message)
    return replace(kept, **changes)


def conversation(*lines: tuple[str, str]) -> tuple[ThreadMessage, ...]:
    """Return messages from (speaker, text), in order; the first is m-1."""
    return tuple(said(text, by, number) for number, (by, text) in enumerate(lines, start=1))
