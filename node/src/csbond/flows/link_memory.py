"""Memories are linked, and links taken away: the entry they begin at takes a new version (MEM-001 §1.5, MEM-003)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

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
from csbond.protocol.memory.extra_fields import check_extra
from csbond.protocol.memory.link import Link, checked_links, in_order
from csbond.protocol.memory.link_extra import LinkFields, with_link_fields, without_links
from csbond.protocol.memory.rights import may_change
from csbond.protocol.memory.visibility import Audience, audience_of, may_hear
from csbond.protocol.messages.caller import Caller


@dataclass(frozen=True, slots=True)
class Linked:
    """A memory after a change of its links, and whether it is another version for it."""

    entry: MemoryEntry
    changed: bool


async def link_memory(
    world: World,
    source_id: str,
    add: Sequence[Link],
    drop: Sequence[tuple[str, str]],
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
    unweighed: Collection[tuple[str, str]] = (),
    beside: LinkFields | None = None,
) -> Linked:
    """The entry with links added, and those taken away that `drop` names by target and relation ("" for every one).

    What is so already answers the entry as it is and writes nothing. A link to add that is there keeps its weight
    when `unweighed` names it: the client said none. `beside` is what links to add hold beside their own fields.

    1. the node keeps up with its vectors (`too_busy`); 2. the entry is there for the caller (`memory_not_found`), who
    may change it (`forbidden`); 3. the links are acceptable (`invalid_params`) and lead to memories that are there
    (`memory_not_found`); 4. one of the expected versions, if any, is the current one (`version_conflict`); 5. no new
    link leads back to where it began (`link_cycle`).
    """
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    return await made_again(
        lambda: _link(
            world,
            source_id,
            add,
            drop,
            caller=caller,
            intent=intent,
            expected=expected,
            unweighed=unweighed,
            beside=beside or {},
        ),
        unless(expected),
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
    unweighed: Collection[tuple[str, str]],
    beside: LinkFields,
) -> Linked:
    now, audience = world.clock.now(), audience_of(caller)
    entry = await living_entry(world, source_id, caller)
    may_change(caller, entry)
    checked_links(source_id, add)
    await checked_targets(world, add, caller)
    added = {link.pair: link for link in add}
    added |= {link.pair: link for link in entry.links if link.pair in added and link.pair in unweighed}
    gone = [pair for pair in await _dropped(world, entry, drop, audience) if pair not in added]
    kept = (link for link in entry.links if link.pair not in gone and link.pair not in added)
    links = in_order((*kept, *added.values()))
    extra = with_link_fields(without_links(entry.extra, gone) if gone else entry.extra, beside)
    check_extra(extra)
    changed = set(links) != set(entry.links) or bool(gone) or extra != entry.extra
    if changed:
        check_version(entry, expected)
        fresh = tuple(link for link in links if link not in entry.links)
        linked = entry.linked or bool(links)
        entry = replace(entry, version=entry.version + 1, links=links, linked=linked, extra=extra)
        writes = (*entry_writes((entry,)), *link_writes(source_id, fresh, now, gone))
        try:
            committed = await commit_memory(world, writes, _record(world, entry, add, drop, intent, now))
        except LinkRefused as fault:
            raise fault.among(add) from fault
        entry = replace(entry, seq=committed.space_seq)
    (told,) = await told_links(world, (entry,), audience)
    return Linked(told, changed)


async def _dropped(
    world: World, entry: MemoryEntry, drop: Sequence[tuple[str, str]], audience: Audience
) -> tuple[tuple[str, str], ...]:
    """The links `drop` names, of those the caller may be told of; hidden ones too, because an end is deleted."""
    if not (drop and entry.linked):
        return ()
    (told,) = await told_links(world, (entry,), audience)
    hidden = [link for link in await world.ledger.hidden_links(entry.id) if _is_dropped(link, drop)]
    targets = await world.ledger.entries_by_id([link.target_id for link in hidden])
    heard = [link for link in hidden if link.target_id in targets and may_hear(audience, targets[link.target_id])]
    return tuple(link.pair for link in (*told.links, *heard) if _is_dropped(link, drop))


def _is_dropped(link: Link, drop: Sequence[tuple[str, str]]) -> bool:
    return link.pair in drop or (link.target_id, "") in drop


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
