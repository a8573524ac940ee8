"""The skill that gives back what it is given: for tests, and for measuring everything around it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from csbond.flows.turn import Answer, Done, Say, SkillCard, Turn
from csbond.skills.kind import Kind
from csbond.skills.settings import Count, SkillSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoSettings(SkillSettings):
    """How often it gives back."""

    repeat: Count = 1
    """How many times the parts are given back, each time as a further chunk of one artifact."""


class EchoSkill:
    """Answers with the parts of the message, unchanged."""

    def __init__(self, settings: EchoSettings | None = None) -> None:
        self._settings = settings or EchoSettings()
        self.card = SkillCard(
            id="echo",
            name="Echo",
            description="Gives back the parts of a message unchanged.",
            tags=("echo", "test"),
            examples=("Hello!",),
            window=self._settings.window,
            summarises=False,
            timeout_s=self._settings.timeout_s,
            effects=False,
        )

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """The parts, as often as set."""
        last = self._settings.repeat - 1
        for number in range(self._settings.repeat):
            yield Say(turn.message.parts, append=number > 0, last_chunk=number == last)
        yield Done()

    async def close(self) -> None:
        """It holds nothing."""


def _make(settings: EchoSettings, _home: Path) -> EchoSkill:
    return EchoSkill(settings)


KIND = Kind("echo", EchoSettings, _make)
