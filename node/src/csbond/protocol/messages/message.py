"""One message of a conversation: what every dialect is decoded to and encoded from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from csbond.protocol.messages.part import Part, part_from_json, part_to_json, text_of

MessageRole = Literal["user", "agent"]

_ROLE_TO_JSON: dict[MessageRole, str] = {"user": "ROLE_USER", "agent": "ROLE_AGENT"}
_ROLE_FROM_JSON: dict[str, MessageRole] = {name: role for role, name in _ROLE_TO_JSON.items()}


@dataclass(frozen=True, slots=True)
class Message:
    """What was said: by which side, in which session and task, with which parts."""

    id: str
    role: MessageRole
    parts: tuple[Part, ...]
    context_id: str = ""
    task_id: str = ""
    reference_task_ids: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text parts joined by line ends."""
        return text_of(self.parts)


def message_from_json(raw: Mapping[str, Any]) -> Message:
    """A message from its v1.0 JSON form (already checked for required fields)."""
    return Message(
        id=raw["messageId"],
        role=_ROLE_FROM_JSON[raw["role"]],
        parts=tuple(part_from_json(part) for part in raw["parts"]),
        context_id=raw.get("contextId", ""),
        task_id=raw.get("taskId", ""),
        reference_task_ids=tuple(raw.get("referenceTaskIds", ())),
        extensions=tuple(raw.get("extensions", ())),
        metadata=raw.get("metadata", {}),
    )


def message_to_json(message: Message) -> dict[str, Any]:
    """The v1.0 JSON form of a message; empty fields are left out."""
    raw: dict[str, Any] = {
        "messageId": message.id,
        "role": _ROLE_TO_JSON[message.role],
        "parts": [part_to_json(part) for part in message.parts],
    }
    optional = {
        "contextId": message.context_id,
        "taskId": message.task_id,
        "referenceTaskIds": list(message.reference_task_ids),
        "extensions": list(message.extensions),
        "metadata": message.metadata,
    }
    raw.update({name: value for name, value in optional.items() if value})
    return raw
