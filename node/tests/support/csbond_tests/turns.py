"""Turns for the tests of skills, and what a skill made of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from csbond.flows.turn import Answer, Found, Say, Skill, Turn
from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.memory.entry import Level, MemoryEntry, Origin
from csbond.protocol.messages.caller import ANONYMOUS
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.task import Task, TaskState

__all__ = ["answers_of", "memory", "spoken", "turn_of"]

MAY_10 = 1_778_400_000_000
"""2026-05-10 08:00 UTC, when everything was told."""


def memory(content: str, by: str = "Alice", number: int = 1, **changes: Any) -> MemoryEntry:
    """Return an entry that somebody told on 10 May 2026."""
    fields: dict[str, Any] = {
        "id": f"mem_{MAY_10}_{number:08d}",
        "space": "home",
        "type": "event",
        "content": content,
        "tags": (),
        "timestamp": MAY_10,
        "source": "session",
        "level": Level.WARM,
        "origin": Origin("owner", "t-0", f"m-0{number}", by),
    }
    return MemoryEntry(**(fields | changes))


def turn_of(
    message: str | Sequence[Part],
    remembered: Sequence[MemoryEntry | Found] = (),
    window: Sequence[ThreadMessage] = (),
    **changes: Any,
) -> Turn:
    """Return a turn; the memory finds everything remembered, in order, whatever it is asked."""
    parts = (text_part(message),) if isinstance(message, str) else tuple(message)
    found = [
        each if isinstance(each, Found) else Found(each, 1.0 - place / 10) for place, each in enumerate(remembered)
    ]
    asked: list[str] = changes.pop("asked", [])
    message_id, metadata = changes.pop("message_id", "m-1"), changes.pop("message_metadata", {})

    async def recall(query: str, limit: int) -> Sequence[Found]:
        asked.append(query)
        return found[:limit]

    fields: dict[str, Any] = {
        "message": Message(message_id, "user", parts, "c-1", "task-1", metadata=metadata),
        "caller": ANONYMOUS,
        "task": Task("task-1", "c-1", "t-1", "anonymous", TaskState.WORKING, MAY_10, MAY_10),
        "window": tuple(window),
        "summary": None,
        "recall": recall,
        "agent_name": "Luna",
    }
    return Turn(**(fields | changes))


async def answers_of(skill: Skill, turn: Turn) -> list[Answer]:
    """Return all answers of a skill, as the story would hear them."""
    async with aclosing(skill.answer(turn)) as stream:  # type: ignore[type-var]
        return [answer async for answer in stream]


def spoken(answers: Sequence[Answer]) -> str:
    """Return the text of the answer's artifact."""
    parts = [part for answer in answers if isinstance(answer, Say) for part in answer.parts]
    return "".join(part.value for part in parts if part.kind is PartKind.TEXT)
