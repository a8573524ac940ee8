"""A memory is written: checked drafts become entries, with their links and record, in one transaction.

Every door uses this: REST and the commands through `write_memory`; a conversation leaves its memories in the
transaction that ends its turn (`flows/run_turn.py`), and what changes a memory that is there writes its next version:
all by the writes that only this file makes. Vectors follow by themselves (`flows/index_vectors.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from csbond.flows.changes import LASTING, Change, Write
from csbond.flows.link_refused import LinkRefused
from csbond.flows.link_targets import checked_targets, told_links
from csbond.flows.made_again import OVERTAKEN, made_again
from csbond.flows.memory_changes import ClaimKey, PutEntry, SetLinks
from csbond.flows.ports import Committed
from csbond.flows.repeated_write import MemoryRequest as MemoryRequest
from csbond.flows.repeated_write import earlier_write, known_memory, names_of, taken
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import CsbError, Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.duplicates import merged, same_memory
from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.entry_json import EntryDraft
from csbond.protocol.memory.link import Link, in_order
from csbond.protocol.memory.project import project_of
from csbond.protocol.memory.rights import may_change
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller

RANDOM_LETTERS = 12
"""Letters and digits of an id that this node gives: as many as the published schema allows."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory that is there after its write, and whether it was there before, so that the two became one."""

    entry: MemoryEntry
    merged: bool = False


Outcome = Kept | CsbError
"""What became of one request: its entry, or why there is none."""


async def write_memory(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    """What became of each request, in order; the good ones are on disk together.

    1. the caller may write (`forbidden`); 2. the node keeps up with its vectors (`too_busy`); 3. a repeat gets the
    entry of the first time; 4. an id that is taken and a key that was used for something else are `already_exists`;
    5. links lead to memories that are there, of this batch too (`memory_not_found`); 6. what is there already, and
    comes without an id of its own, is merged; 7. no order of memories leads back to its beginning (`link_cycle`).
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
) -> tuple[tuple[Write, ...], AuditDraft]:
    """The writes of new entries, and the record of them, of those they were merged with, and of which it changed."""
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="memory_write" if entries else "memory_merge",
        timestamp=now,
        operation="write_memory",
        target=entries[0].id if entries else merged_with[0],
        intent=intent,
        details={"entries": [entry.id for entry in entries]}
        | ({"merged": list(merged_with), "changed": list(changed)} if merged_with else {}),
    )
    links = (link_writes(entry.id, entry.links, now) for entry in entries if entry.links)
    return (*entry_writes(entries), *(write for writes in links for write in writes)), record


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


async def commit_memory(world: World, writes: Sequence[Write], record: AuditDraft) -> Committed:
    """Write a change of memory with its record, and wake those who wait for it."""
    committed = await world.ledger.commit(Change(HOME_SPACE, tuple(writes), (record,)))
    world.signals.wake(writes)
    return committed


@dataclass(slots=True)
class _Plan:
    """What a write would do, before it is done."""

    now: int
    refused: Mapping[int, CsbError]
    """By the places of their requests."""
    repeated: dict[int, MemoryEntry] = field(default_factory=dict)
    settled: dict[int, tuple[str, bool]] = field(default_factory=dict)
    """Which entry each of the others makes or is merged with."""
    fresh: dict[str, MemoryEntry] = field(default_factory=dict)
    saying: dict[str, list[str]] = field(default_factory=dict)
    """Which of the fresh ones say a text."""
    known: dict[str, MemoryEntry] = field(default_factory=dict)
    united: dict[str, MemoryEntry] = field(default_factory=dict)
    """What the known ones become."""
    claims: list[Write] = field(default_factory=list)


async def _claimed(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    """Made again when another process claimed a name or changed a memory first: what it left is found then."""
    return await made_again(lambda: _written(world, requests, caller, intent), OVERTAKEN | {"already_exists"})


async def _written(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    """The outcomes; what is refused for a link only when it is set leaves the others to be written without it."""
    refused: dict[int, CsbError] = {}
    while True:
        plan = await _planned(world, requests, caller, refused)
        try:
            seq = await _committed(world, plan, intent)
        except LinkRefused as fault:
            places = [place for place, (entry_id, _) in plan.settled.items() if entry_id == fault.source_id]
            places = [place for place in places if requests[place].draft.links]
            refused |= {place: fault.among(requests[place].draft.links) for place in places}
            if not places:
                raise
        else:
            return await _outcomes(world, plan, len(requests), caller, seq)


async def _planned(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, refused: Mapping[int, CsbError]
) -> _Plan:
    now, names = world.clock.now(), set[str]()
    repeated: dict[int, MemoryEntry] = {}
    faults, candidates = dict(refused), dict[int, MemoryEntry]()
    for place, request in enumerate(requests):
        if place in faults:
            continue
        earlier = _twice(request, names) or await earlier_write(world, request, caller)
        if isinstance(earlier, CsbError):
            faults[place] = earlier
        elif earlier:
            repeated[place] = earlier
        else:
            names.update(request.names)
            candidates[place] = _entry(world, request.draft, caller, now)
    faults |= await _without_targets(world, requests, candidates, caller)
    plan = _Plan(now, faults, repeated)
    for place, entry in candidates.items():
        if place not in faults:
            await _settle(world, plan, place, entry, requests[place], caller)
    return plan


def _twice(request: MemoryRequest, names: set[str]) -> Refused | None:
    """The refusal of a name that comes twice in one batch."""
    if request.draft.id and f"id:{request.draft.id}" in names:
        return taken(request.draft.id)
    if names.isdisjoint(request.names):
        return None
    return Refused("already_exists", f"the Idempotency-Key {request.key} comes twice", next_step="use a new one")


async def _without_targets(
    world: World, requests: Sequence[MemoryRequest], candidates: Mapping[int, MemoryEntry], caller: Caller
) -> dict[int, CsbError]:
    """Those whose links lead to nothing; whose links lead to one of these is refused when the links are set."""
    ids = {entry.id for entry in candidates.values()}
    refused: dict[int, CsbError] = {}
    for place in candidates:
        if requests[place].draft.links:
            try:
                await checked_targets(world, requests[place].draft.links, caller, ids)
            except Refused as fault:
                refused[place] = fault
    return refused


async def _settle(
    world: World, plan: _Plan, place: int, entry: MemoryEntry, request: MemoryRequest, caller: Caller
) -> None:
    """Let an entry be a new one, or become one with another of this batch or of the ledger."""
    known = None if request.draft.id else await _same(world, plan, entry)
    if known is None:
        plan.fresh[entry.id] = entry
        plan.saying.setdefault(entry.content, []).append(entry.id)
    elif known.id in plan.fresh:
        plan.fresh[known.id] = merged(known, entry)
    else:
        plan.known.setdefault(known.id, known)
        plan.united[known.id] = merged(plan.united.get(known.id, known), entry)
    entry_id = known.id if known else entry.id
    plan.settled[place] = entry_id, known is not None
    plan.claims += (ClaimKey(LASTING + caller.key, name, request.digest, entry_id, plan.now) for name in request.names)


async def _same(world: World, plan: _Plan, entry: MemoryEntry) -> MemoryEntry | None:
    """What the entry says once more; a memory that it links to is another one."""
    if not world.merges:
        return None
    alike = (plan.fresh[entry_id] for entry_id in plan.saying.get(entry.content, ()))
    of_batch = next((known for known in alike if same_memory(known, entry)), None)
    known = of_batch or await known_memory(world, entry)
    return None if known and any(link.target_id == known.id for link in entry.links) else known


async def _committed(world: World, plan: _Plan, intent: Intent) -> int:
    """The place of the write in the order of the Space; 0 when there is nothing to write."""
    if not plan.settled:
        return 0
    changed = [entry_id for entry_id, before in plan.known.items() if plan.united[entry_id] != before]
    revised: list[Write] = []
    for entry_id in changed:
        before = plan.known[entry_id]
        plan.united[entry_id] = replace(plan.united[entry_id], version=before.version + 1)
        revised += revised_writes(before, plan.united[entry_id], plan.now)
    fresh = tuple(plan.fresh.values())
    with_known = dict.fromkeys(entry_id for entry_id, was_there in plan.settled.values() if was_there)
    writes, record = memory_writes(world, fresh, intent, plan.now, merged_with=tuple(with_known), changed=changed)
    return (await commit_memory(world, (*writes, *revised, *plan.claims), record)).space_seq


async def _outcomes(world: World, plan: _Plan, count: int, caller: Caller, seq: int) -> tuple[Outcome, ...]:
    entries = {
        entry.id: replace(entry, seq=seq, text_seq=seq, linked=bool(entry.links)) for entry in plan.fresh.values()
    }
    for entry_id, entry in plan.united.items():
        changed = entry.version != plan.known[entry_id].version
        entries[entry_id] = replace(entry, seq=seq, linked=entry.linked or bool(entry.links)) if changed else entry
    kept = {place: Kept(entry) for place, entry in plan.repeated.items()}
    kept |= {place: Kept(entries[entry_id], was_there) for place, (entry_id, was_there) in plan.settled.items()}
    told = await told_links(world, [each.entry for each in kept.values()], audience_of(caller))
    by_place = dict(zip(kept, told, strict=True))
    return tuple(
        plan.refused[place] if place in plan.refused else Kept(by_place[place], kept[place].merged)
        for place in range(count)
    )


def _entry(world: World, draft: EntryDraft, caller: Caller, now: int) -> MemoryEntry:
    origin = Origin(caller_key=caller.key)
    return MemoryEntry(
        id=draft.id or dated_id("mem", now, world.identifiers.letters(RANDOM_LETTERS)),
        space=HOME_SPACE,
        type=draft.type,
        content=draft.content,
        tags=draft.tags,
        timestamp=draft.timestamp,
        source=draft.source,
        level=draft.level,
        visibility=draft.visibility,
        origin=origin,
        last_accessed=draft.last_accessed,
        access_count=draft.access_count,
        ttl=draft.ttl,
        extra=draft.extra,
        kept_at=now,
        project=project_of(draft.project, origin),
        links=in_order(draft.links),
    )
