"""Memories are linked, and links taken away: the entry they begin at takes a new version (MEM-001 §1.5, MEM-003)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from csbond.flows.edit_memory import check_version, unless
from csbond.flows.link_refused import LinkRefused
from csbond.flows.link_targets import checked_targets as checked_targets
from csbond.flows.link_targets import told_links
from csbond.flows.made_again import made_again
from csbond.flows.read_memory import living_entry
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, entry_writes, link_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import Link, checked_links, in_order
from csbond.protocol.memory.rights import may_change
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller


async def link_memory(
    world: World,
    source_id: str,
    add: Sequence[Link],
    drop: Sequence[tuple[str, str]],
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
) -> MemoryEntry:
    """The entry with links added, and those taken away that `drop` names by target and relation ("" for every one).

    What is so already answers the entry as it is and writes nothing.

    1. the node keeps up with its vectors (`too_busy`); 2. the entry is there for the caller (`memory_not_found`), who
    may change it (`forbidden`); 3. the links are acceptable (`invalid_params`) and lead to memories that are there
    (`memory_not_found`); 4. one of the expected versions, if any, is the current one (`version_conflict`); 5. no new
    link leads back to where it began (`link_cycle`).
    """
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    return await made_again(
        lambda: _link(world, source_id, add, drop, caller=caller, intent=intent, expected=expected), unless(expected)
    )


async def _link(
    world: World,
    source_id: str,
    add: Sequence[Link],
    drop: Sequence[tuple[str, str]],
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int],
) -> MemoryEntry:
    now = world.clock.now()
    entry = await living_entry(world, source_id, caller)
    may_change(caller, entry)
    checked_links(source_id, add)
    await checked_targets(world, add, caller)
    kept = (link for link in entry.links if not _is_dropped(link, drop))
    links = in_order(checked_links(source_id, (*kept, *add)))
    if set(links) != set(entry.links) or await _drops_hidden(world, entry, drop):
        check_version(entry, expected)
        entry = replace(entry, version=entry.version + 1, links=links, linked=entry.linked or bool(links))
        writes = (*entry_writes((entry,)), *link_writes(source_id, links, now, drop))
        try:
            committed = await commit_memory(world, writes, _record(world, entry, add, drop, intent, now))
        except LinkRefused as fault:
            raise fault.among(add) from fault
        entry = replace(entry, seq=committed.space_seq)
    (told,) = await told_links(world, (entry,), audience_of(caller))
    return told


async def _drops_hidden(world: World, entry: MemoryEntry, drop: Sequence[tuple[str, str]]) -> bool:
    """Whether a link may go that nobody sees, because what it leads to is softly deleted."""
    if not (drop and entry.linked):
        return False
    targets = await world.ledger.entries_by_id([target_id for target_id, _ in drop])
    return any(target.deleted_at for target in targets.values())


def _is_dropped(link: Link, drop: Sequence[tuple[str, str]]) -> bool:
    return (link.target_id, link.relation) in drop or (link.target_id, "") in drop


def _record(
    world: World,
    after: MemoryEntry,
    add: Sequence[Link],
    drop: Sequence[tuple[str, str]],
    intent: Intent,
    now: int,
) -> AuditDraft:
    return AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="memory_link",
        timestamp=now,
        operation="link_memory",
        target=after.id,
        intent=intent,
        details={
            "from_version": after.version - 1,
            "to_version": after.version,
            "added": [[link.target_id, link.relation] for link in add],
            "removed": [[target_id, relation] for target_id, relation in drop],
        },
    )
