"""Parts that come chunk by chunk: a plain text that goes on from one chunk to the next is one text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from csbond.protocol.messages.part import Part, PartKind


@dataclass(slots=True)
class GrowingParts:
    """Takes chunks in order; the texts of one chunk stay apart, as they were sent."""

    _parts: list[Part] = field(default_factory=list)
    _going_on: list[str] = field(default_factory=list)
    """The pieces of the last part, while it is a plain text."""

    def grow(self, chunk: Iterable[Part]) -> None:
        """Add a chunk: its first part goes on with the last one, when both are plain texts."""
        for place, part in enumerate(chunk):
            if place == 0 and self._going_on and _is_plain(part):
                self._going_on.append(part.value)
                continue
            self.close()
            self._parts.append(part)
            if _is_plain(part):
                self._going_on.append(part.value)

    def close(self) -> None:
        """End the text that goes on; the next part begins a new one."""
        if len(self._going_on) > 1:
            self._parts[-1] = replace(self._parts[-1], value="".join(self._going_on))
        self._going_on.clear()

    def all(self) -> tuple[Part, ...]:
        """The parts so far."""
        pieces = list(self._going_on)
        self.close()
        self._going_on = [self._parts[-1].value] if pieces else []
        return tuple(self._parts)


def _is_plain(part: Part) -> bool:
    return part.kind is PartKind.TEXT and not (part.metadata or part.media_type or part.filename)
