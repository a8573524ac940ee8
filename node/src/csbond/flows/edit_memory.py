"""A memory is edited: the entry takes a new version, and the one before is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from csbond.flows.by_hand import by_hand
from csbond.flows.changes import Write
from csbond.flows.entry_names import entry_names
from csbond.flows.link_refused import LinkRefused
from csbond.flows.link_targets import checked_targets, told_links
from csbond.flows.made_again import OVERTAKEN, made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.note_use import keep_uses
from csbond.flows.read_memory import living_entry
from csbond.flows.tend_step import Tending, move_writes, of_whole_text
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, revised_writes, used_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.entry_json import revised
from csbond.protocol.memory.eviction import Move, eviction_details
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import in_order
from csbond.protocol.memory.rights import may_change, may_read
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller


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

    After another content or tier it waits for its next move as if it was just used; all pieces of its text take another
    tier with it.

    1. the node keeps up with its vectors (`too_busy`); 2. the entry is there for the caller (`memory_not_found`), who
    may change it (`forbidden`); 3. the fields are acceptable (`invalid_params`), and new links lead to memories that
    are there (`memory_not_found`); 4. one of the expected versions, if any, is the current one (`version_conflict`);
    5. no new link leads back (`link_cycle`).
    """
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    async with world.writing.hold(entry_names((entry_id,))):
        return await made_again(
            lambda: _edit(world, entry_id, edit, names, caller=caller, intent=intent, expected=expected),
            unless(expected),
        )


def unless(expected: Collection[int]) -> Collection[str]:
    """With which codes a change is made again: never one that expects a version."""
    return () if expected else OVERTAKEN


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
    may_read(caller)
    now = world.clock.now()
    kept = await living_entry(world, entry_id, caller)
    may_change(caller, kept)
    (before,) = await told_links(world, (kept,), audience_of(caller))
    asked = revised(before, edit, now, names)
    after = replace(asked, links=in_order(asked.links))
    if after == before:
        return before  # RFC 9110 §13.1.1: what has already been applied may be answered as done
    await checked_targets(world, asked.links, caller, {link.target_id for link in before.links})
    check_version(before, expected)
    after = replace(after, version=before.version + 1)
    details: dict[str, Any] = {"from_version": before.version, "to_version": after.version}
    if after.level is not before.level:
        after = replace(after, moved_at=now, found_at=0)
        details["moved"] = eviction_details(Move(kept, after.level, "manual"), now)
    record = memory_record(world, "edit", entry_id, intent, now, details)
    untold = tuple(link for link in kept.links if link not in before.links)
    writes = revised_writes(kept, replace(after, links=after.links + untold), now)
    records = [record]
    if after.content != before.content or after.level is not before.level:
        moves = after.level is not before.level
        if moves:
            await keep_uses(world)  # those before the move
            of_others, told = await _moves_of_others(world, kept, after.level, by_hand(world, caller, intent))
            writes += tuple(of_others)
            records += told
        first = (await world.ledger.entry_pieces(entry_id))[:1] if kept.piece and not moves else ()
        writes += used_writes((after, *first), now, anew=moves)
        after = replace(after, used_at=now, recent="" if moves else after.recent)
    try:
        seq = (await commit_memory(world, writes, *records)).space_seq
    except LinkRefused as fault:
        raise fault.among(asked.links) from fault
    return replace(
        after,
        seq=seq,
        text_seq=before.text_seq if after.content == before.content else seq,
        linked=before.linked or bool(after.links),
    )


async def _moves_of_others(
    world: World, entry: MemoryEntry, level: Level, tending: Tending
) -> tuple[Sequence[Write], Sequence[AuditDraft]]:
    """What lets the other pieces of the text of an entry take its tier too, with their records."""
    move = await of_whole_text(world, Move(entry, level, "manual"))
    if not move.pieces:
        return (), ()
    return move_writes(world, tending, replace(move, entry=move.pieces[0], pieces=move.pieces[1:]))


def check_version(entry: MemoryEntry, expected: Collection[int]) -> None:
    """Nothing, when no version is expected or the entry has one of them; else `version_conflict`."""
    if expected and entry.version not in expected:
        raise Refused(
            "version_conflict",
            f"the memory {entry.id} has version {entry.version} now",
            next_step="read it again and make the edit on what it says now",
        )
