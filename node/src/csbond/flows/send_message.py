"""This node speaks to another agent, and keeps both sides of the talk in a thread of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from csbond.flows.changes import AppendMessage, Change, KeepSession, KeepThread, Write
from csbond.flows.repeated_write import told_before, told_names
from csbond.flows.summarise_thread import summarise_thread
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import entry_writes, remembered
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.continuity.given_id import checked_id
from csbond.protocol.continuity.placing import sender_of
from csbond.protocol.continuity.thread import Sender, Session, Thread, ThreadMessage
from csbond.protocol.continuity.window import window_of
from csbond.protocol.continuity.wishes import is_private
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.formation import formed_entries
from csbond.protocol.messages.address import host_and_port
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.continuing import check_parts
from csbond.protocol.messages.extensions import CONTEXT_SUMMARY, SENDER, SESSION_CONTEXT
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.protocol.trust.authority import authority_of

PEER_ADDRESS = "peer_address"
"""The metadata key under which an answer remembers where it came from."""
WINDOW = 20
"""Latest messages of a talk that the other agent is taken to have in mind."""
_LATEST = 200
"""Messages of the thread that are looked through for the session with the other agent, and summarised."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said and what came back."""

    thread_id: str
    peer_name: str
    said: Message
    answer: Message


async def send_message(world: World, url: str, text: str, thread_id: str, caller: Caller) -> Talk:
    """Say a text to the agent at a url and keep its answer; the thread goes on where it was.

    `invalid_params` for an address that is none, or carries a password, before anything is kept.
    `peer_unreachable` and `peer_broke_protocol` leave what was said in the thread, and a record.
    """
    world.live.refuse_when_draining()
    _check_address(url)
    if not text.strip():
        raise RemoteProtocolError("invalid_params", "there is nothing to say", field="text")
    check_parts((text_part(text),), world.limits.file_bytes, world.limits.text_length)
    thread_id = checked_id("thread", thread_id) if thread_id else world.identifiers.unique()
    before = await world.ledger.thread_messages(thread_id, caller.key, None, _LATEST)
    earlier = _session_with(url, before)
    said = Message(
        id=world.identifiers.unique(),
        role="user",
        parts=(text_part(text),),
        context_id=earlier,
        metadata={
            SENDER: {"name": world.agent.name, "did": world.agent.did},
            SESSION_CONTEXT: {"thread_id": thread_id, "continuity_ref": earlier or None},
            **await _summary_of(world, before),
        },
    )
    own = Sender(world.agent.name, world.agent.did)
    kept = await _in_its_session(world, _kept(world, said, own, thread_id, caller))
    await _keep(world, kept, "message_sent", url, caller)
    peer_name, answer = await world.peers.send(url, said)
    known = sender_of(answer)
    peer = Sender(known.name or peer_name, known.did)
    kept = _kept(world, _marked(answer, url), peer, thread_id, caller)
    await _keep(world, await _in_its_session(world, kept), "message_answer", url, caller)
    return Talk(thread_id, peer_name, said, answer)


def _check_address(url: str) -> None:
    try:
        host_and_port(url)
    except ValueError as fault:
        raise RemoteProtocolError("invalid_params", str(fault), field="url") from fault


def _session_with(url: str, said: Sequence[ThreadMessage]) -> str:
    sessions = [one.message.context_id for one in said if one.message.metadata.get(PEER_ADDRESS) == url]
    return sessions[-1] if sessions else ""


async def _summary_of(world: World, said: Sequence[ThreadMessage]) -> dict[str, Any]:
    """What lies beyond the window of the talk, for the other agent (A2A-004 §4.4); nothing for a short talk."""
    summary = await summarise_thread(world, window_of(said, WINDOW))
    return {CONTEXT_SUMMARY: summary} if summary else {}


def _marked(answer: Message, url: str) -> Message:
    metadata = {**answer.metadata, PEER_ADDRESS: url}
    return Message(answer.id, "agent", answer.parts, answer.context_id, answer.task_id, metadata=metadata)


def _kept(world: World, message: Message, sender: Sender, thread_id: str, caller: Caller) -> ThreadMessage:
    return ThreadMessage(
        thread_id=thread_id,
        caller_key=caller.key,
        space=HOME_SPACE,
        session_id=message.context_id or thread_id,
        task_id="",
        sender=sender,
        said_at=world.clock.now(),
        message=message,
        private=is_private(message),
    )


async def _in_its_session(world: World, kept: ThreadMessage) -> ThreadMessage:
    """A session belongs to one thread; an agent that gives every talk the same contextId has none of its own here."""
    known = await world.ledger.session(kept.session_id, kept.caller_key)
    return kept if known is None or known.thread_id == kept.thread_id else replace(kept, session_id=kept.thread_id)


async def _keep(world: World, kept: ThreadMessage, audit_type: str, url: str, caller: Caller) -> None:
    """One side of the talk; what the other agent said leaves memories, what this one said does not."""
    now = kept.said_at
    writes: list[Write] = [
        KeepThread(Thread(kept.thread_id, caller.key, HOME_SPACE, now, now, 1, kept.title)),
        KeepSession(Session(kept.session_id, kept.thread_id, caller.key, now)),
        AppendMessage(kept),
    ]
    said = kept.message.role == "agent"
    entries = formed_entries(kept, world.identifiers.letters, now, by_stranger=True) if said else ()
    async with world.writing.hold(told_names(world, entries)):
        known = await told_before(world, entries)
        writes += entry_writes(() if known else entries)
        record = AuditDraft(
            id=dated_id("audit", now, world.identifiers.letters(8)),
            type=audit_type,
            timestamp=now,
            operation="talk",
            target=url,
            intent=Intent("speak to another agent", caller.key, authority_of(caller)),
            details={"thread_id": kept.thread_id, "message_id": kept.message.id} | remembered(entries, known),
        )
        await world.ledger.commit(Change(HOME_SPACE, tuple(writes), (record,)))
    world.signals.wake(writes)
