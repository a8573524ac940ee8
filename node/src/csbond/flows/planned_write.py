"""What a write of memories would do, before it is done: which are new, merged or refused. It only reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from csbond.flows.link_refused import LinkRefused
from csbond.flows.link_targets import memories, no_target
from csbond.flows.repeated_write import Kept, MemoryRequest, earlier_write, known_memory, taken
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.errors import CsbError, Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.batch_links import in_parts, leading_back, leading_nowhere
from csbond.protocol.memory.duplicates import merged, same_memory
from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.entry_json import EntryDraft
from csbond.protocol.memory.link import Link, in_order
from csbond.protocol.memory.project import project_of
from csbond.protocol.memory.promotion import first_uses
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller

RANDOM_LETTERS = 12
"""Letters and digits of an id that this node gives: as many as the published schema allows."""


@dataclass(slots=True)
class Sought:
    """What the ledger says of the requests of one write; each is known by its place."""

    now: int
    requests: Sequence[MemoryRequest]
    merges: bool
    faults: dict[int, CsbError] = field(default_factory=dict)
    repeated: dict[int, Kept] = field(default_factory=dict)
    candidates: dict[int, MemoryEntry] = field(default_factory=dict)
    """What the others would be as entries of their own."""
    known: dict[int, MemoryEntry] = field(default_factory=dict)
    """Which memory of the ledger a candidate says once more."""
    hidden: dict[str, int] = field(default_factory=dict)
    """How many hidden links the known ones have that are to get more."""
    there: frozenset[str] = frozenset()
    """The memories of the ledger that links may lead to."""

    def links_of(self, place: int) -> Sequence[Link]:
        """The links of a request, as they were sent."""
        return self.requests[place].draft.links


@dataclass(frozen=True, slots=True)
class Settled:
    """Which entry a request makes or is merged with, and what that one has no room for."""

    entry_id: str
    merged: bool
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class Plan:
    """What a write would do."""

    sought: Sought
    faults: Mapping[int, CsbError]
    """Why requests are refused, by their places."""
    settled: dict[int, Settled] = field(default_factory=dict)
    """What becomes of those that are neither refused nor repeated."""
    fresh: dict[str, MemoryEntry] = field(default_factory=dict)
    """The new entries."""
    of_text: dict[str, list[str]] = field(default_factory=dict)
    """Which of the new entries have a content."""
    known: dict[str, MemoryEntry] = field(default_factory=dict)
    """Entries of the ledger that requests are merged with, as they are."""
    united: dict[str, MemoryEntry] = field(default_factory=dict)
    """The same, as they are with what the requests add."""

    def senders(self, fault: LinkRefused) -> list[int]:
        """The places of the requests that sent the link which was refused."""
        sent = (place for place, settled in self.settled.items() if settled.entry_id == fault.source_id)
        links = {place: self.sought.links_of(place) for place in sent}
        refused = fault.link
        return [
            place
            for place, each in links.items()
            if each and (refused is None or refused.pair in {link.pair for link in each})
        ]

    def parts(self) -> list[list[int]]:
        """The places of the requests that are written, in parts that can follow one another."""
        places = self.settled
        return in_parts(
            {place: self.sought.links_of(place) for place in places},
            {place: self.sought.candidates[place].id for place in places},
        )


async def looked_up(world: World, requests: Sequence[MemoryRequest], caller: Caller) -> Sought:
    """What there is to know before the requests can be planned."""
    sought, names = Sought(world.clock.now(), requests, world.merges), set[str]()
    for place, request in enumerate(requests):
        earlier = _twice(request, names) or await earlier_write(world, request, caller)
        if isinstance(earlier, CsbError):
            sought.faults[place] = earlier
        elif earlier:
            sought.repeated[place] = earlier
        else:
            names.update(request.names)
            entry = sought.candidates[place] = drafted_entry(world, request.draft, caller, sought.now)
            known = None if request.alone else await known_memory(world, entry, request.draft.named)
            if known:
                sought.known[place] = known
            if known and known.linked and entry.links:
                sought.hidden[known.id] = len(await world.ledger.hidden_links(known.id))
    wanted = memories([link for entry in sought.candidates.values() for link in entry.links])
    if wanted:
        sought.there = await world.ledger.living_ids(wanted, audience_of(caller))
    return sought


async def is_current(world: World, sought: Sought) -> bool:
    """Whether the memories of the ledger that are said once more are still as they were when they were looked up."""
    if not sought.known:
        return True
    now = await world.ledger.entries_by_id(sorted({known.id for known in sought.known.values()}))
    return all(now[known.id].version == known.version for known in sought.known.values())


def planned(sought: Sought, refused: Mapping[int, CsbError]) -> Plan:
    """What to do with all but the refused ones; what leads to one of them, or back, is refused with them."""
    faults = {**sought.faults, **refused}
    while True:
        left = {place: entry.id for place, entry in sought.candidates.items() if place not in faults}
        nowhere = leading_nowhere({place: sought.links_of(place) for place in left}, left, sought.there)
        faults |= {place: no_target(sought.links_of(place)[number], number) for place, number in nowhere.items()}
        plan = _settled(sought, faults)
        back = leading_back({place: (each.entry_id, sought.links_of(place)) for place, each in plan.settled.items()})
        if not back:
            return plan
        faults |= back


def _settled(sought: Sought, faults: Mapping[int, CsbError]) -> Plan:
    """Let each candidate be a new entry, or become one with another of this write or of the ledger."""
    plan = Plan(sought, dict(faults))
    for place, entry in sought.candidates.items():
        if place in faults:
            continue
        known, named = _same(plan, place, entry), sought.requests[place].draft.named
        if known is None:
            plan.fresh[entry.id] = entry
            plan.of_text.setdefault(entry.content, []).append(entry.id)
            plan.settled[place] = Settled(entry.id, merged=False)
            continue
        if known.id not in plan.fresh:
            plan.known.setdefault(known.id, known)
        becoming = plan.fresh if known.id in plan.fresh else plan.united
        merge = merged(becoming.get(known.id, known), entry, named, sought.hidden.get(known.id, 0))
        becoming[known.id] = merge.entry
        plan.settled[place] = Settled(known.id, merged=True, left_out=merge.left_out)
    return plan


def _same(plan: Plan, place: int, entry: MemoryEntry) -> MemoryEntry | None:
    """What the entry says once more; a memory that it links to is another one."""
    request = plan.sought.requests[place]
    if request.alone or not plan.sought.merges:
        return None
    alike = (plan.fresh[entry_id] for entry_id in plan.of_text.get(entry.content, ()))
    of_batch = next((known for known in alike if same_memory(known, entry, request.draft.named)), None)
    known = of_batch or plan.sought.known.get(place)
    return None if known and any(link.target_id == known.id for link in entry.links) else known


def _twice(request: MemoryRequest, names: set[str]) -> Refused | None:
    """The refusal of a name that comes twice in one batch."""
    if request.draft.id and f"id:{request.draft.id}" in names:
        return taken(request.draft.id)
    if names.isdisjoint(request.names):
        return None
    return Refused("already_exists", f"the Idempotency-Key {request.key} comes twice", next_step="use a new one")


def drafted_entry(world: World, draft: EntryDraft, caller: Caller, now: int) -> MemoryEntry:
    """What a draft is as an entry of its own."""
    origin = Origin(caller_key=caller.key)
    used_at, recent = first_uses(draft.last_accessed, draft.access_count, now)
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
        used_at=used_at,
        recent=recent,
    )
