"""Snapshots are listed, shown as files, and let go of (MEM-003 §3.1, MEM-006 §6.1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from csbond.flows.memory_record import memory_record
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import commit_memory, drop_snapshot_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.rights import may_distribute
from csbond.protocol.memory.snapshot import SnapshotEntry, SnapshotHead, SnapshotLoad
from csbond.protocol.memory.snapshot_json import SnapshotText, entry_line
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page

_READ = 200
"""Memories that are read and written at once."""


async def list_snapshots(
    world: World, caller: Caller, before: tuple[int, str] | None = None, limit: int = PAGE_SIZE_DEFAULT
) -> Page[SnapshotHead]:
    """A page of the snapshots that were made here, as they were made, the latest first; for the owner."""
    may_distribute(caller)
    return await world.ledger.snapshots(HOME_SPACE, before, limit)


async def list_loads(
    world: World, caller: Caller, before: tuple[int, str] | None = None, limit: int = PAGE_SIZE_DEFAULT
) -> Page[SnapshotLoad]:
    """A page of the log of snapshots that were loaded here, the latest first; for the owner."""
    may_distribute(caller)
    return await world.ledger.snapshot_loads(before, limit)


async def find_snapshot(world: World, snapshot_id: str, caller: Caller) -> SnapshotHead:
    """The head of a snapshot as it was made, for the owner; `snapshot_not_found`."""
    may_distribute(caller)
    head = await world.ledger.snapshot_head(snapshot_id)
    if head is None:
        raise Refused("snapshot_not_found", f"there is no snapshot {snapshot_id}", next_step="list them", field="id")
    return head


async def snapshot_lines(world: World, head: SnapshotHead) -> AsyncIterator[bytes]:
    """The file of a snapshot, some lines at a time; what was deleted since it was made is not in it.

    Its counts and checksums are those of what it shows now.
    """
    text, after = SnapshotText(head), ""
    yield text.first()
    while members := await world.ledger.snapshot_members(head.id, after, _READ):
        yield await asyncio.to_thread(_lines, text, members, head)
        after = members[-1].entry.id
    yield text.last()


async def drop_snapshot(world: World, snapshot_id: str, caller: Caller, intent: Intent) -> None:
    """Let go of a snapshot, for the owner; what it holds stays in memory. `snapshot_not_found`."""
    await find_snapshot(world, snapshot_id, caller)
    record = memory_record(world, "snapshot_drop", snapshot_id, intent, world.clock.now(), {})
    await commit_memory(world, drop_snapshot_writes(snapshot_id), record)


def _lines(text: SnapshotText, members: Sequence[SnapshotEntry], head: SnapshotHead) -> bytes:
    return b"".join(text.memory(entry_line(member, head), member.entry.level) for member in members)
