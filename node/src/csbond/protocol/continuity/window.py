"""Which messages of a thread are in mind, and which lie beyond (A2A-004 §4.2 `history_length`, §4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csbond.protocol.continuity.thread import ThreadMessage


@dataclass(frozen=True, slots=True)
class Window:
    """The messages of a thread, oldest first, parted where the window begins."""

    beyond: tuple[ThreadMessage, ...]
    """What only a summary tells of."""
    inside: tuple[ThreadMessage, ...]
    """What the skill is given word for word."""


def window_size(skill_window: int, history_length: int | None) -> int:
    """How many messages a turn holds: the window of the skill, which a request narrows but never widens.

    0 holds none.
    """
    return skill_window if history_length is None else min(skill_window, history_length)


def window_of(messages: Sequence[ThreadMessage], size: int) -> Window:
    """The latest `size` messages inside, all earlier ones beyond; `messages` come oldest first."""
    start = max(0, len(messages) - size)
    return Window(tuple(messages[:start]), tuple(messages[start:]))
