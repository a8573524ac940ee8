"""Memories for the tests of stories: written by the one story, or told in a conversation."""

from __future__ import annotations

from itertools import count
from typing import Any

from csbond.flows.changes import AppendMessage, Change, KeepSession, KeepThread
from csbond.flows.world import World
from csbond.flows.write_memory import Kept, MemoryRequest, memory_writes, write_memory
from csbond.protocol.continuity.thread import Sender, Session, Thread, ThreadMessage
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.formation import formed_entries
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond_tests.small_world import INTENT, NOW

__all__ = ["remember", "tell"]

_numbers = count(1)


async def remember(world: World, content: str, **fields: Any) -> MemoryEntry:
    """Write one memory as the owner does."""
    draft = draft_from_json({"content": content, **fields}, world.clock.now(), LevelNames())
    (kept,) = await write_memory(world, (MemoryRequest(draft),), OWNER, INTENT)
    assert isinstance(kept, Kept), kept
    return kept.entry


async def tell(world: World, text: str, by: str = "Ann", **changes: Any) -> tuple[MemoryEntry, ...]:
    """Say something in a thread; what it leaves in memory."""
    number = next(_numbers)
    caller, thread, space = changes.get("caller", "owner"), changes.get("thread", "t-1"), changes.get("space", "home")
    session = changes.get("session", f"s-{thread}")
    said_at = changes.get("said_at", NOW + number)
    message = Message(f"m-{number}", changes.get("role", "user"), (text_part(text),), session)
    sender, task, private = Sender(by, changes.get("did", "")), changes.get("task", ""), changes.get("private", False)
    kept = ThreadMessage(thread, caller, space, session, task, sender, said_at, message, private=private)
    entries = formed_entries(kept, world.identifiers.letters, world.clock.now())
    writes, record = memory_writes(world, entries, INTENT, world.clock.now()) if entries else ((), None)
    change = Change(
        space,
        (
            KeepThread(Thread(thread, caller, space, said_at, said_at, 1, text[:80])),
            KeepSession(Session(session, thread, caller, said_at, changes.get("ref", ""), 38.0)),
            AppendMessage(kept),
            *writes,
        ),
        (record,) if record else (),
    )
    await world.ledger.commit(change)
    world.signals.wake(writes)
    return entries
