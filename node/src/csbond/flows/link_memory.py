"""Memories are linked, and links taken away: the entry they begin at takes a new version (MEM-001 §1.5, MEM-003)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from csbond.flows.edit_memory import check_version, unless
from csbond.flows.entry_names import entry_names
from csbond.flows.link_refused import LinkRefused
from csbond.flows.link_targets import checked_targets as checked_targets
from csbond.flows.link_targets import told_links
from csbond.flows.made_again import made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.read_memory import living_entry
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, entry_writes, link_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.extra_fields import check_extra
from csbond.protocol.memory.link import Link, checked_links, in_order
from csbond.protocol.memory.link_extra import LinkFields, Pair, with_link_fields, without_links
from csbond.protocol.memory.rights import may_change, may_read
from csbond.protocol.memory.visibility import Audience, audience_of, may_hear
from csbond.protocol.messages.caller import Caller


@dataclass(frozen=True, slots=True)
class LinkChange:
    """Which links an entry shall have, and which no longer, as a client says it."""

    add: Sequence[Link] = ()
    drop: Sequence[Pair] = ()
    """By target and relation; "" for every relation."""
    unweighed: Collection[Pair] = ()
    """Those to add whose weight is not said: one that is there keeps its own."""
    beside: LinkFields = field(default_factory=dict)
    """What those to add hold beside their own fields."""


@dataclass(frozen=True, slots=True)
class Linked:
    """A memory after a change of its links, and whether it is another version for it."""

    entry: MemoryEntry
    changed: bool


async def link_memory(
    world: World,
    source_id: str,
    change: LinkChange,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
) -> Linked:
    """The entry with links added and others taken away; what is so already writes nothing.

    1. the node keeps up with its vectors (`too_busy`); 2. the entry is there for the caller (`memory_not_found`), who
    may change it (`forbidden`); 3. the links are acceptable (`invalid_params`) and lead to memories that are there
    (`memory_not_found`); 4. one of the expected versions, if any, is the current one (`version_conflict`); 5. no new
    link leads back to where it began (`link_cycle`).
    """
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    async with world.writing.hold(entry_names((source_id,))):
        return await made_again(
            lambda: _link(world, source_id, change, caller=caller, intent=intent, expected=expected), unless(expected)
        )


async def _link(
    world: World,
    source_id: str,
    change: LinkChange,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int],
) -> Linked:
    may_read(caller)
    now, audience = world.clock.now(), audience_of(caller)
    entry = await living_entry(world, source_id, caller)
    may_change(caller, entry)
    checked_links(source_id, change.add)
    await checked_targets(world, change.add, caller)
    added = {link.pair: link for link in change.add}
    added |= {link.pair: link for link in entry.links if link.pair in added and link.pair in change.unweighed}
    gone = [pair for pair in await _dropped(world, entry, change.drop, audience) if pair not in added]
    kept = (link for link in entry.links if link.pair not in gone and link.pair not in added)
    links = in_order((*kept, *added.values()))
    extra = with_link_fields(without_links(entry.extra, gone) if gone else entry.extra, change.beside)
    check_extra(extra)
    is_other = set(links) != set(entry.links) or bool(gone) or extra != entry.extra
    if is_other:
        check_version(entry, expected)
        fresh = tuple(link for link in links if link not in entry.links)
        linked = entry.linked or bool(links)
        entry = replace(entry, version=entry.version + 1, links=links, linked=linked, extra=extra)
        writes = (*entry_writes((entry,)), *link_writes(source_id, fresh, now, gone))
        try:
            committed = await commit_memory(world, writes, _record(world, entry, change, intent, now))
        except LinkRefused as fault:
            raise fault.among(change.add) from fault
        entry = replace(entry, seq=committed.space_seq)
    (told,) = await told_links(world, (entry,), audience)
    return Linked(told, is_other)


async def _dropped(world: World, entry: MemoryEntry, drop: Sequence[Pair], audience: Audience) -> tuple[Pair, ...]:
    """The links `drop` names, of those the caller may be told of; hidden ones too, because an end is deleted."""
    if not (drop and entry.linked):
        return ()
    (told,) = await told_links(world, (entry,), audience)
    hidden = [link for link in await world.ledger.hidden_links(entry.id) if _is_dropped(link, drop)]
    targets = await world.ledger.entries_by_id([link.target_id for link in hidden])
    heard = [link for link in hidden if link.target_id in targets and may_hear(audience, targets[link.target_id])]
    return tuple(link.pair for link in (*told.links, *heard) if _is_dropped(link, drop))


def _is_dropped(link: Link, drop: Sequence[Pair]) -> bool:
    return link.pair in drop or (link.target_id, "") in drop


def _record(world: World, after: MemoryEntry, change: LinkChange, intent: Intent, now: int) -> AuditDraft:
    details = {
        "from_version": after.version - 1,
        "to_version": after.version,
        "added": [[link.target_id, link.relation] for link in change.add],
        "removed": [[target_id, relation] for target_id, relation in change.drop],
    }
    return memory_record(world, "link", after.id, intent, now, details)
