"""Where a message belongs: its session, its thread, who says it and what it answers (CSB v1.0 §1.2, A2A-004)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csbond.protocol.continuity.given_id import ID_MAX, UNSAYABLE, checked_id
from csbond.protocol.continuity.session_context import SessionContext, session_context_from_json
from csbond.protocol.continuity.thread import Sender, Session
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.extensions import SENDER, SESSION_CONTEXT
from csbond.protocol.messages.message import Message

NAME_MAX = 128
"""Code points of a sender's name that are kept."""


@dataclass(frozen=True, slots=True)
class Place:
    """The session and thread of a message, and how strongly it is to be kept."""

    context_id: str
    thread_id: str
    continuity_ref: str
    agent_lifespan: float
    importance: float


def place_of(message: Message, known: Session | None, fresh_id: str) -> Place:
    """The place of a message.

    1. the session is its contextId, or a fresh one; 2. the thread is that of `session_context`, else that of the
    known session, else the session itself; 3. a session stays in its thread (`invalid_params` otherwise).
    """
    raw = message.metadata.get(SESSION_CONTEXT)
    stated = session_context_from_json(raw) if raw is not None else SessionContext()
    context_id = checked_id("message.contextId", message.context_id) if message.context_id else fresh_id
    if known and stated.thread_id and stated.thread_id != known.thread_id:
        raise RemoteProtocolError(
            "invalid_params",
            "the session belongs to another thread",
            next_step="open a new session (leave contextId out) and name the old one in continuity_ref",
            field="session_context.thread_id",
        )
    thread_id = stated.thread_id or (known.thread_id if known else context_id)
    return Place(context_id, thread_id, stated.continuity_ref, stated.agent_lifespan, stated.importance)


def sender_of(message: Message) -> Sender:
    """Who the message says it is from, in any of the places the dialects use; a claim, never a proof.

    Control characters become spaces: what somebody of the name said is asked for by an address.
    """
    for key in (SENDER, "sender", "original_sender"):
        claim = message.metadata.get(key)
        if isinstance(claim, str) and _plain(claim):
            return Sender(_plain(claim)[:NAME_MAX])
        if isinstance(claim, Mapping) and (claim.get("name") or claim.get("did") or claim.get("id")):
            return Sender(_text(claim, "name")[:NAME_MAX], _text(claim, "did")[:ID_MAX])
    return Sender()


def parent_of(message: Message) -> str:
    """The message this one answers (A2A-004 §4.2 `parent_id`); empty when it says none, `invalid_params` for no id."""
    parent = message.metadata.get("parent_id")
    return "" if parent is None or parent == "" else checked_id("metadata.parent_id", parent)


def _text(claim: Mapping[str, Any], name: str) -> str:
    value = claim.get(name, "")
    return _plain(value) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    return UNSAYABLE.sub(" ", text).strip()
