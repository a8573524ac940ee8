"""A memory is edited: the entry takes a new version, and the one before is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar

from csbond.flows.changes import Change
from csbond.flows.read_memory import living_entry
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import entry_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.entry_json import revised
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import Caller

_Done = TypeVar("_Done")
_TRIES = 5
"""How often a change that names no version is made again when another one was faster."""


async def edit_memory(
    world: World,
    entry_id: str,
    edit: Any,
    names: LevelNames,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
) -> MemoryEntry:
    """The entry after an edit; an edit that changes nothing answers the entry as it is and writes nothing.

    1. the node keeps up with its vectors (`too_busy`); 2. the entry is there for the caller (`memory_not_found`);
    3. the fields are acceptable (`invalid_params`); 4. one of the expected versions, if any, is the current one
    (`version_conflict`).
    """
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    return await made_again(
        lambda: _edit(world, entry_id, edit, names, caller=caller, intent=intent, expected=expected), expected
    )


async def made_again(change: Callable[[], Awaitable[_Done]], expected: Collection[int]) -> _Done:
    """What the change answers; one that expects no version is made again from what another one left."""
    for _ in range(_TRIES - 1):
        try:
            return await change()
        except Refused as fault:
            if fault.code.name != "version_conflict" or expected:
                raise
    return await change()


async def _edit(
    world: World,
    entry_id: str,
    edit: Any,
    names: LevelNames,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int],
) -> MemoryEntry:
    now = world.clock.now()
    before = await living_entry(world, entry_id, caller)
    after = revised(before, edit, now, names)
    if after == before:
        return before  # RFC 9110 §13.1.1: what has already been applied may be answered as done
    check_version(before, expected)
    after = replace(after, version=before.version + 1)
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="memory_edit",
        timestamp=now,
        operation="edit_memory",
        target=entry_id,
        intent=intent,
        details={"from_version": before.version, "to_version": after.version},
    )
    writes = entry_writes((after,))
    committed = await world.ledger.commit(Change(HOME_SPACE, writes, (record,)))
    world.signals.wake(writes)
    seq = committed.space_seq
    return replace(after, seq=seq, text_seq=before.text_seq if after.content == before.content else seq)


def check_version(entry: MemoryEntry, expected: Collection[int]) -> None:
    """Nothing, when no version is expected or the entry has one of them; else `version_conflict`."""
    if expected and entry.version not in expected:
        raise Refused(
            "version_conflict",
            f"the memory {entry.id} has version {entry.version} now",
            next_step="read it again and make the edit on what it says now",
        )
