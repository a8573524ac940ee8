"""`session_context`: how a message says which long conversation it belongs to (CSB v1.0 §1.2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csbond.protocol.continuity.given_id import checked_id
from csbond.protocol.errors import RemoteProtocolError


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The four fields, each of which may be stated without the others."""

    thread_id: str = ""
    """Empty where the message leaves its thread to its session."""
    continuity_ref: str = ""
    """Empty for the first session of a chain."""
    agent_lifespan: float = 0.0
    """Days the sending agent has lived, by its own word."""
    importance: float = 0.5
    """0…1: how strongly this is to be kept."""


def session_context_from_json(raw: object) -> SessionContext:
    """The block as a value; `invalid_params` names the field that is out of range."""
    if not isinstance(raw, Mapping):
        raise _refuse("session_context", "must be an object")
    return SessionContext(
        thread_id=_identifier(raw, "thread_id"),
        continuity_ref="" if raw.get("continuity_ref") == "" else _identifier(raw, "continuity_ref"),
        agent_lifespan=_number(raw, "agent_lifespan", 0.0, low=0.0, high=float("inf")),
        importance=_number(raw, "importance", 0.5, low=0.0, high=1.0),
    )


def session_context_to_json(context: SessionContext) -> dict[str, Any]:
    """The JSON form, all four fields."""
    return {
        "thread_id": context.thread_id or None,
        "continuity_ref": context.continuity_ref or None,
        "agent_lifespan": context.agent_lifespan,
        "importance": context.importance,
    }


def _identifier(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    return "" if value is None else checked_id(f"session_context.{name}", value)


def _number(raw: Mapping[str, Any], name: str, default: float, *, low: float, high: float) -> float:
    value = raw.get(name, default)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not low <= value <= high
        or value == float("inf")
    ):
        raise _refuse(name, f"must be a number from {low:g}" + ("" if high == float("inf") else f" to {high:g}"))
    return float(value)


def _refuse(name: str, reason: str) -> RemoteProtocolError:
    field = name if name == "session_context" else f"session_context.{name}"
    return RemoteProtocolError("invalid_params", f"{field} {reason}", field=field)
