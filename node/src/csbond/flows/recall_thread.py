"""Conversations are read again: a thread, what an agent said, or what holds some words (CSB v1.0 §1.2.3).

The owner reads everything. A named principal reads what is in its Spaces, but of others neither private messages nor
the ids by which somebody without a token reaches a task or a session: such an id works like a key.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from csbond.flows.world import World
from csbond.protocol.continuity.thread import Listener, Session, Thread, ThreadMessage
from csbond.protocol.errors import Refused, RemoteProtocolError
from csbond.protocol.memory.words import match_all, query_terms
from csbond.protocol.messages.caller import ANONYMOUS, Caller, CallerKind
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page


@dataclass(frozen=True, slots=True)
class ThreadShown:
    """A thread, its sessions and a page of its messages, oldest first; `earlier` is the place of the page before."""

    thread: Thread
    sessions: tuple[Session, ...]
    messages: tuple[ThreadMessage, ...]
    earlier: int | None


@dataclass(frozen=True, slots=True)
class SpeakerShown:
    """One agent of a name, told from others of that name by its DID; latest words first."""

    name: str
    did: str
    messages: tuple[ThreadMessage, ...]


@dataclass(frozen=True, slots=True)
class SpeakersShown:
    """All agents of a name on one page; `earlier` is the place of the page before."""

    speakers: tuple[SpeakerShown, ...]
    earlier: int | None


async def recall_thread(
    world: World, thread_id: str, caller: Caller, before: int | None = None, limit: int = PAGE_SIZE_DEFAULT
) -> ThreadShown:
    """A thread, its latest messages or those before a place; `thread_not_found` when the caller may see none.

    Thread ids are chosen by those who talk, so two callers may use the same one: the reader's own comes first, then
    the one that spoke last.
    """
    thread = await world.ledger.thread(thread_id, caller.key) or await world.ledger.thread(thread_id, None)
    if thread is None or not caller.may_read(thread.space):
        raise Refused("thread_not_found", f"there is no thread {thread_id}")
    messages = await world.ledger.thread_messages(thread.id, thread.caller_key, before, limit)
    sessions = (
        () if _hides_ids(thread.caller_key, caller) else await world.ledger.sessions(thread.id, thread.caller_key)
    )
    earlier = _earlier(messages, messages[0].seq if messages else 0, limit)
    listener = _listener(caller)
    heard = [message for message in messages if listener is None or listener.hears(message)]
    return ThreadShown(thread, sessions, _without_keys(caller, heard), earlier)


async def recall_threads(
    world: World, caller: Caller, before: tuple[int, str] | None = None, limit: int = PAGE_SIZE_DEFAULT
) -> Page[Thread]:
    """A page of the threads the caller may see, latest first."""
    return await world.ledger.threads(None, readable_spaces(caller), before, limit)


async def recall_agent(
    world: World, name: str, caller: Caller, before: int | None = None, limit: int = PAGE_SIZE_DEFAULT
) -> SpeakersShown:
    """What agents of a name said; `thread_not_found` when none of that name said anything the caller may see."""
    messages = await world.ledger.messages_of_sender(name, _listener(caller), before, limit)
    if not messages and before is None:
        raise Refused("thread_not_found", f"nobody of the name {name!r} has said anything here")
    by_did: dict[str, list[ThreadMessage]] = {}
    for message in _without_keys(caller, messages):
        by_did.setdefault(message.sender.did, []).append(message)
    speakers = tuple(SpeakerShown(name, did, tuple(said)) for did, said in by_did.items())
    return SpeakersShown(speakers, _earlier(messages, messages[-1].seq if messages else 0, limit))


async def search_threads(
    world: World, text: str, caller: Caller, limit: int = PAGE_SIZE_DEFAULT
) -> tuple[tuple[ThreadMessage, float], ...]:
    """Messages that hold every term of a text, best first, with their rank; `+` between terms is a space."""
    query = query_terms(text.replace("+", " "))
    if not query:
        raise RemoteProtocolError("invalid_params", "q must hold at least one word", field="q")
    found = await world.ledger.search_messages(match_all(query), _listener(caller), limit)
    return tuple((heard, rank) for message, rank in found for heard in _without_keys(caller, (message,)))


def readable_spaces(caller: Caller) -> Collection[str] | None:
    """The Spaces a caller may read; None for all of them."""
    return None if caller.kind is CallerKind.OWNER else caller.spaces


def _listener(caller: Caller) -> Listener | None:
    return None if caller.kind is CallerKind.OWNER else Listener(caller.key, frozenset(caller.spaces))


def _without_keys(caller: Caller, messages: Sequence[ThreadMessage]) -> tuple[ThreadMessage, ...]:
    """Messages without the ids that are not for this reader."""
    return tuple(
        replace(message, task_id="", session_id="") if _hides_ids(message.caller_key, caller) else message
        for message in messages
    )


def _hides_ids(of: str, caller: Caller) -> bool:
    return of == ANONYMOUS.key and caller.kind is not CallerKind.OWNER


def _earlier(messages: Sequence[ThreadMessage], oldest: int, limit: int) -> int | None:
    """The place before which the next page begins; None when this page is not full, so there is no next one."""
    return oldest if len(messages) >= limit else None
