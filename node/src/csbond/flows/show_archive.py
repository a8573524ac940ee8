"""What is left of memories that were cleared is shown to the owner (MEM-004 §4.3)."""

from __future__ import annotations

from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.errors import Refused
from csbond.protocol.memory.rights import may_forget
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page


async def list_archive(
    world: World, caller: Caller, before: tuple[int, str] | None = None, limit: int = PAGE_SIZE_DEFAULT
) -> Page[ArchivedMemory]:
    """A page of the records, the latest cleared first; `forbidden` for anybody but the owner."""
    may_forget(caller)
    return await world.ledger.archive_page(HOME_SPACE, before, limit)


async def show_archived(world: World, entry_id: str, caller: Caller) -> ArchivedMemory:
    """The record of one memory; `forbidden` for anybody but the owner, `memory_not_found` where there is none."""
    may_forget(caller)
    record = await world.ledger.archived(entry_id)
    if record is None:
        raise Refused("memory_not_found", f"no memory {entry_id} was cleared, or its record is not kept any more")
    return record
