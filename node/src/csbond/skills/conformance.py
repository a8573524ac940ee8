"""The skill that plays what conformance suites expect of an agent. For tests only.

The A2A TCK for v1.0 names the wanted behaviour by the prefix of the message id. Its suite for v0.3 names none and
expects an agent that works about a second and then waits for its caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from csbond.flows.turn import Answer, Ask, Done, Reject, Reply, Say, SkillCard, Turn, Working
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.kind import Kind
from csbond.skills.settings import Seconds, SkillSettings, invalid


@dataclass(frozen=True, slots=True)
class Wait:
    """Time that passes between two answers, as a multiple of a setting."""

    setting: str


def _artifact(*parts: Part) -> Say:
    return Say(parts, name="result", last_chunk=True)


_FILE = Part(PartKind.FILE, b"Generated file content\n", "text/plain", "output.txt")
_FILE_URL = Part(PartKind.URL, "https://example.com/output.txt", "text/plain", "output.txt")
_DATA = Part(PartKind.DATA, {"key": "value", "count": 42})
_HELLO = Done((text_part("Hello from TCK"),))

BEHAVIOURS: dict[str, tuple[Answer | Wait, ...]] = {
    "tck-artifact-text": (_artifact(text_part("Generated text content")), Done()),
    "tck-artifact-file": (_artifact(_FILE), Done()),
    "tck-artifact-file-url": (_artifact(_FILE_URL), Done()),
    "tck-artifact-data": (_artifact(_DATA), Done()),
    "tck-message-response": (Reply((text_part("Direct message response"),)),),
    "tck-input-required": (Ask((text_part("What else?"),)),),
    "tck-reject-task": (Reject("rejected"),),
    "tck-stream-001": (Working(), _artifact(text_part("Stream hello from TCK")), Done()),
    "tck-stream-002": (Done(),),
    "tck-stream-003": (Working(), _artifact(text_part("Stream task lifecycle")), Done()),
    "tck-stream-ordering-001": (Working(), _artifact(text_part("Ordered output")), Done()),
    "tck-stream-artifact-text": (Working(), _artifact(text_part("Streamed text content")), Done()),
    "tck-stream-artifact-file": (Working(), _artifact(_FILE), Done()),
    "tck-stream-artifact-chunked": (
        Working(),
        Say((text_part("chunk-1 "),), name="result"),
        Say((text_part("chunk-2"),), append=True, last_chunk=True),
        Done(),
    ),
    "test-resubscribe-message-id": (Working(), Wait("long_s"), Done()),
    "tck-": (_HELLO,),
    "": (Working(), Wait("working_s"), Ask((text_part("Anything else?"),))),
}
"""What is answered to a message whose id has the prefix; the longest prefix that fits decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceSettings(SkillSettings):
    """Its permission and its times."""

    allow_test_skill: bool = False
    """Must be true for this kind to be loaded: it answers by scripts, and nobody who runs a node wants that."""
    working_s: Seconds = 1.0
    """Seconds of work before it asks its caller; the v0.3 suite looks at the task in between."""
    long_s: Seconds = 5.0
    """Seconds of the long task that a client subscribes to again: more than twice the suite's patience of 2 s."""


class ConformanceSkill:
    """Plays the rows of `BEHAVIOURS`."""

    def __init__(
        self, settings: ConformanceSettings, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self.card = SkillCard(
            id="conformance",
            name="Conformance",
            description="Plays what conformance suites expect. For tests only.",
            tags=("test",),
            window=settings.window,
            timeout_s=settings.timeout_s,
            may_reply=True,
        )

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """The answers of the row for the message's id."""
        for step in behaviour_of(turn.message.id):
            if isinstance(step, Wait):
                await self._sleep(getattr(self._settings, step.setting))
            else:
                yield step

    async def close(self) -> None:
        """It holds nothing."""


def behaviour_of(message_id: str) -> tuple[Answer | Wait, ...]:
    """The row with the longest prefix of the id."""
    return BEHAVIOURS[max((prefix for prefix in BEHAVIOURS if message_id.startswith(prefix)), key=len)]


def _make(settings: ConformanceSettings, _home: Path) -> ConformanceSkill:
    if not settings.allow_test_skill:
        raise invalid("kind", "the kind 'conformance' is for tests only", "set allow_test_skill = true in a test home")
    return ConformanceSkill(settings)


KIND = Kind("conformance", ConformanceSettings, _make)
