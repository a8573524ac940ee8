"""A memory is written: checked drafts become entries, with their links and record, in one transaction.

Every door uses this: REST and the commands through `write_memory`; a conversation leaves its memories in the
transaction that ends its turn (`flows/run_turn.py`), and what changes a memory that is there writes its next version:
all by the writes that only this file makes. Vectors follow by themselves (`flows/index_vectors.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any

from csbond.flows.changes import LASTING, Change, Write
from csbond.flows.entry_names import entry_names
from csbond.flows.link_refused import LinkRefused
from csbond.flows.link_targets import told_links
from csbond.flows.made_again import OVERTAKEN, made_again
from csbond.flows.memory_changes import (
    ClaimKey,
    DropSnapshot,
    EraseEntry,
    KeepForeignVector,
    LogLoad,
    PurgeArchive,
    PutEntry,
    PutForeignName,
    PutPolicy,
    PutReview,
    PutSnapshot,
    PutVectorMap,
    SetLinks,
    SetUsedAt,
    SnapshotMember,
    SpareEntry,
    TouchEntries,
)
from csbond.flows.memory_record import memory_record
from csbond.flows.planned_write import Plan, Sought, is_current, looked_up, planned
from csbond.flows.ports import Committed
from csbond.flows.repeated_write import Came as Came
from csbond.flows.repeated_write import Kept as Kept
from csbond.flows.repeated_write import MemoryRequest as MemoryRequest
from csbond.flows.repeated_write import names_of
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.batch_links import targets_first
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.review import Review
from csbond.protocol.memory.rights import may_change
from csbond.protocol.memory.snapshot import SnapshotHead, SnapshotLoad
from csbond.protocol.memory.use import Use
from csbond.protocol.memory.vector_map import VectorMap
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.caller import Caller

ROUNDS_MAX = 4
"""How often a batch is tried that has links which are refused when they are set; then it is written part by part."""

Outcome = Kept | CsbError
"""What became of one request: its entry, or why there is none."""


async def write_memory(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    """What became of each request, in order; the good ones are on disk, together unless many have bad links.

    1. the caller may write (`forbidden`); 2. the node keeps up with its vectors (`too_busy`); 3. a repeat gets the
    entry of the first time; 4. an id that is taken and a key that was used for something else are `already_exists`;
    5. links lead to memories that are there, of this batch too (`memory_not_found`); 6. what is there already, and
    comes without an id or a foreign name of its own, is merged; 7. no order of memories leads back to its beginning
    (`link_cycle`).
    """
    may_change(caller)
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    async with world.writing.hold(names_of(world, requests, caller)):
        return await _claimed(world, requests, caller, intent)


def memory_writes(
    world: World,
    entries: Sequence[MemoryEntry],
    intent: Intent,
    now: int,
    *,
    merged_with: Sequence[str] = (),
    changed: Sequence[str] = (),
    left_out: Mapping[str, int] = MappingProxyType({}),
) -> tuple[tuple[Write, ...], AuditDraft]:
    """The writes of new entries, and the record of them, of those they were merged with, and of which it changed.

    `left_out` says of how many things a merged entry had no room for.
    """
    details: dict[str, Any] = {"entries": [entry.id for entry in entries]}
    if merged_with:
        details |= {"merged": list(merged_with), "changed": list(changed)}
    if left_out:
        details["left_out"] = dict(left_out)
    target = entries[0].id if entries else merged_with[0]
    record = memory_record(world, "write" if entries else "merge", target, intent, now, details)
    links = {entry.id: entry.links for entry in entries if entry.links}
    writes = (write for entry_id in targets_first(links) for write in link_writes(entry_id, links[entry_id], now))
    return (*entry_writes(entries), *writes), record


def entry_writes(entries: Iterable[MemoryEntry]) -> tuple[Write, ...]:
    """The writes that put entries, new ones or the next versions of some, to go into one transaction."""
    return tuple(PutEntry(entry) for entry in entries)


def remembered(entries: Sequence[MemoryEntry], known: Sequence[str]) -> dict[str, list[str]]:
    """What the record of a conversation says of its memories: the new ones, or those it only said once more."""
    return {"memories": [], "merged": list(known)} if known else {"memories": [entry.id for entry in entries]}


def link_writes(entry_id: str, links: tuple[Link, ...], now: int, drop: Sequence[tuple[str, str]] = ()) -> tuple[Write]:
    """The write that lets an entry have these links, beside what it has, and no longer those that are dropped."""
    return (SetLinks(entry_id, links, tuple(drop), now),)


def revised_writes(before: MemoryEntry, after: MemoryEntry, now: int) -> tuple[Write, ...]:
    """The writes of the next version of an entry, and of its links where they are others."""
    known, left = set(before.links), {(link.target_id, link.relation) for link in after.links}
    fresh = tuple(link for link in after.links if link not in known)
    drop = [pair for link in before.links if (pair := (link.target_id, link.relation)) not in left]
    links = link_writes(after.id, fresh, now, drop) if fresh or drop else ()
    return (*entry_writes((after,)), *links)


def use_writes(uses: Iterable[Use]) -> tuple[Write, ...]:
    """The write that counts uses of memories."""
    return (TouchEntries(tuple(uses)),)


def used_writes(entries: Iterable[MemoryEntry], now: int, *, anew: bool = False) -> tuple[Write, ...]:
    """The writes that let entries count as used now, because somebody did something to them.

    `anew`: the uses before do not count any more, because somebody gave them another tier.
    """
    return tuple(SetUsedAt(entry.id, now, anew) for entry in entries)


def spare_writes(entries: Iterable[MemoryEntry], until: int) -> tuple[Write, ...]:
    """The writes that keep entries from rules and from their time to live for a while."""
    return tuple(SpareEntry(entry.id, until) for entry in entries)


def erase_writes(entry: MemoryEntry, now: int, archive: ArchivedMemory | None) -> tuple[Write, ...]:
    """The write that leaves nothing of an entry but its record, if any."""
    return (EraseEntry(entry.id, entry.version, now, archive),)


def purge_writes(records: Iterable[ArchivedMemory]) -> tuple[Write, ...]:
    """The write that removes records of cleared memories."""
    return (PurgeArchive(tuple(record.id for record in records)),)


def claim_writes(caller: Caller, name: str, digest: str, entry_id: str, now: int) -> tuple[Write, ...]:
    """The write that keeps what a name of a caller made; the whole change is `already_exists` where it is taken."""
    return (ClaimKey(LASTING + caller.key, name, digest, entry_id, now),)


def review_writes(reviews: Iterable[Review]) -> tuple[Write, ...]:
    """The writes of questions to a person, or of their answers."""
    return tuple(PutReview(review) for review in reviews)


def policy_writes(name: str, version: int, document: Mapping[str, Any], now: int) -> tuple[Write, ...]:
    """The write of the next version of a document that the owner sets."""
    return (PutPolicy(name, version, document, now),)


def snapshot_writes(head: SnapshotHead, entries: Iterable[MemoryEntry]) -> tuple[Write, ...]:
    """The write that keeps a snapshot of entries as they are, with the links they show."""
    members = (SnapshotMember(entry.id, entry.version, entry.links) for entry in entries)
    return (PutSnapshot(head, HOME_SPACE, tuple(members)),)


def drop_snapshot_writes(snapshot_id: str) -> tuple[Write, ...]:
    """The write that lets go of a snapshot."""
    return (DropSnapshot(snapshot_id),)


def load_log_writes(load: SnapshotLoad) -> tuple[Write, ...]:
    """The write that notes a load."""
    return (LogLoad(load),)


def came_writes(came: Came, entry_id: str) -> tuple[Write, ...]:
    """The writes that keep under which name a record came and became a memory, and the vector that came with it."""
    named = PutForeignName(HOME_SPACE, came.name, entry_id, came.digest, came.linked)
    return (named, KeepForeignVector(entry_id, came.vector)) if came.vector else (named,)


def map_writes(kept: VectorMap) -> tuple[Write, ...]:
    """The write that keeps a map from the vectors of another model."""
    return (PutVectorMap(kept),)


async def commit_memory(world: World, writes: Sequence[Write], *records: AuditDraft) -> Committed:
    """Write a change of memory with its records, and wake those who wait for it."""
    committed = await world.ledger.commit(Change(HOME_SPACE, tuple(writes), records))
    world.signals.wake(writes)
    return committed


async def _claimed(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    """Made again when another process claimed a name or changed a memory first: what it left is found then."""
    return await made_again(lambda: _written(world, requests, caller, intent), OVERTAKEN | {"already_exists"})


async def _written(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    """The outcomes; what is refused for a link only when it is set leaves the others to be written without it."""
    sought = await looked_up(world, requests, caller)
    async with world.writing.hold(entry_names(known.id for known in sought.known.values())):
        if not await is_current(world, sought):
            sought = await looked_up(world, requests, caller)
        plan, seq = await _tried(world, sought, caller, intent)
    if seq is None:
        return await _in_parts(world, plan, caller, intent)
    return await _outcomes(world, plan, caller, seq)


async def _tried(world: World, sought: Sought, caller: Caller, intent: Intent) -> tuple[Plan, int | None]:
    """What is written, with its place in the order; without one it is still to be written, part by part."""
    refused: dict[int, CsbError] = {}
    for rounds in count(1):
        plan = planned(sought, refused)
        try:
            return plan, await _committed(world, plan, caller, intent)
        except LinkRefused as fault:
            senders = plan.senders(fault)
            if not senders:
                raise
            if (fault.undecided or rounds == ROUNDS_MAX) and len(plan.parts()) > 1:
                return plan, None
            refused |= {place: fault.among(sought.links_of(place)) for place in senders}
    raise AssertionError  # each round that refuses leaves fewer, and the last of them no links


async def _in_parts(world: World, plan: Plan, caller: Caller, intent: Intent) -> tuple[Outcome, ...]:
    """The outcomes of parts that are written one after another: none is refused for a link of another."""
    outcomes: dict[int, Outcome] = dict(plan.faults)
    for part in (list(plan.sought.repeated), *plan.parts()):
        made = await _claimed(world, [plan.sought.requests[place] for place in part], caller, intent)
        outcomes |= zip(part, made, strict=True)
    return tuple(outcomes[place] for place in range(len(plan.sought.requests)))


async def _committed(world: World, plan: Plan, caller: Caller, intent: Intent) -> int:
    """The place of the write in the order of the Space; 0 when there is nothing to write."""
    if not plan.settled:
        return 0
    now, revised = plan.sought.now, list[Write]()
    changed = [entry_id for entry_id, before in plan.known.items() if plan.united[entry_id] != before]
    for entry_id in changed:
        before = plan.known[entry_id]
        plan.united[entry_id] = replace(plan.united[entry_id], version=before.version + 1)
        revised += revised_writes(before, plan.united[entry_id], now)
    left_out = Counter[str]()
    for settled in plan.settled.values():
        left_out.update([settled.entry_id] * len(settled.left_out))
    with_known = dict.fromkeys(settled.entry_id for settled in plan.settled.values() if settled.merged)
    writes, record = memory_writes(
        world,
        tuple(plan.fresh.values()),
        intent,
        now,
        merged_with=tuple(with_known),
        changed=changed,
        left_out=left_out,
    )
    return (await commit_memory(world, (*writes, *revised, *_claims(plan, caller)), record)).space_seq


def _claims(plan: Plan, caller: Caller) -> Iterator[Write]:
    """The writes that keep what each name made, and which record came from elsewhere."""
    for place, settled in plan.settled.items():
        request = plan.sought.requests[place]
        digest = request.claimed(settled.merged, settled.left_out)
        for name in request.names:
            yield from claim_writes(caller, name, digest, settled.entry_id, plan.sought.now)
        if request.came:
            yield from came_writes(request.came, settled.entry_id)


async def _outcomes(world: World, plan: Plan, caller: Caller, seq: int) -> tuple[Outcome, ...]:
    entries = {
        entry.id: replace(entry, seq=seq, text_seq=seq, linked=bool(entry.links)) for entry in plan.fresh.values()
    }
    for entry_id, entry in plan.united.items():
        changed = entry.version != plan.known[entry_id].version
        entries[entry_id] = replace(entry, seq=seq, linked=entry.linked or bool(entry.links)) if changed else entry
    kept = dict(plan.sought.repeated)
    for place, settled in plan.settled.items():
        kept[place] = Kept(entries[settled.entry_id], settled.merged, settled.left_out)
    told = await told_links(world, [each.entry for each in kept.values()], audience_of(caller))
    by_place = dict(zip(kept, told, strict=True))
    return tuple(
        plan.faults[place] if place in plan.faults else replace(kept[place], entry=by_place[place])
        for place in range(len(plan.sought.requests))
    )
