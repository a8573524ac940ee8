"""Threads, sessions and messages as JSON (CSB v1.0 §1.2.3; the bodies are this node's own)."""

from __future__ import annotations

from typing import Any

from csbond.protocol.continuity.thread import Session, Thread, ThreadMessage
from csbond.protocol.messages.part import part_to_json


def thread_to_json(thread: Thread) -> dict[str, Any]:
    """A thread, without its messages."""
    return {
        "thread_id": thread.id,
        "caller": thread.caller_key,
        "space": thread.space,
        "title": thread.title,
        "opened_at": thread.opened_at,
        "updated_at": thread.updated_at,
        "message_count": thread.message_count,
    }


def session_to_json(session: Session) -> dict[str, Any]:
    """A session; `continuity_ref` is null for the first of a chain."""
    return {
        "session_id": session.id,
        "continuity_ref": session.continuity_ref or None,
        "agent_lifespan": session.agent_lifespan,
        "opened_at": session.opened_at,
    }


def message_to_json(message: ThreadMessage, *, with_parts: bool) -> dict[str, Any]:
    """A message of a thread: its text, and on request all its parts as A2A v1.0 writes them.

    The sender is who it says it is, not more: `verified` is false until messages are signed.
    """
    raw: dict[str, Any] = {
        "message_id": message.message.id,
        "thread_id": message.thread_id,
        "session_id": message.session_id or None,
        "task_id": message.task_id or None,
        "parent_id": message.parent_id or None,
        "caller": message.caller_key,
        "sender": {"name": message.sender.name, "did": message.sender.did, "verified": False},
        "role": message.message.role,
        "said_at": message.said_at,
        "importance": message.importance,
        "private": message.private,
        "text": message.message.text,
        "seq": message.seq,
    }
    if with_parts:
        raw["parts"] = [part_to_json(part) for part in message.message.parts]
    return raw
