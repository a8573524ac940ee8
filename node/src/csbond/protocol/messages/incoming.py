"""A request to send a message, whatever dialect it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import PushConfig


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """The message and what its sender asks about the answer."""

    message: Message
    accepted_output_modes: tuple[str, ...] = ()
    history_length: int | None = None
    return_immediately: bool = False
    push: PushConfig | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tenant: str = ""
