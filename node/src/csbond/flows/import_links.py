"""The links of an import are set when all its records are there, so that their order does not matter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import Came, came_writes, commit_memory
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import CsbError, Refused, Unavailable
from csbond.protocol.memory.foreign_record import UNNAMED, ForeignLink, ForeignName, ForeignRecord, ForeignRelation
from csbond.protocol.memory.importing import Outcome, RecordOutcome
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.link_extra import LinkFields
from csbond.protocol.memory.link_fields import TARGET
from csbond.protocol.messages.caller import Caller

_BATCH = 200
"""Records whose links are looked up at once."""
_TOGETHER = 32
"""Records whose links are set at the same time, so that the ledger writes them as a group."""


@dataclass(frozen=True, slots=True)
class WaitingLinks:
    """Links that begin at one memory, as one record says them."""

    place: str
    begins: ForeignName
    links: tuple[ForeignLink, ...]
    came: Came | None = None
    """Of the record whose links these are; None where the link is the record."""


@dataclass(slots=True)
class LinksDone:
    """What became of some of them."""

    set: int = 0
    """Links that were not there before."""
    records: list[RecordOutcome] = field(default_factory=list)
    """Of records that are nothing but a link."""
    faults: list[RecordOutcome] = field(default_factory=list)
    """Of links that another record says, and that cannot be set."""


def waiting(record: ForeignRecord, came: Came) -> WaitingLinks:
    """The links of a record that is a memory now."""
    return WaitingLinks(record.place, record.name, record.links, came)


def waiting_relation(relation: ForeignRelation) -> WaitingLinks:
    """A record that is nothing but a link."""
    return WaitingLinks(relation.place, relation.begins, (relation.link,))


async def import_links(
    world: World, waiting: Sequence[WaitingLinks], caller: Caller, intent: Intent
) -> AsyncIterator[LinksDone]:
    """Set links, some at a time; one that cannot be set is named, and tried again when its record comes again.

    A link that would lead an order back is kept as `relates_to`, with what it was called.
    """
    for start in range(0, len(waiting), _BATCH):
        batch = waiting[start : start + _BATCH]
        ids, places = await _ids(world, batch), asyncio.Semaphore(_TOGETHER)
        done = await asyncio.gather(*(_set(world, each, ids, caller, intent, places) for each in batch))
        finished = [(each, of) for each, of in zip(batch, done, strict=True) if each.came and not of.faults]
        writes = [write for each, _ in finished if each.came for write in came_writes(each.came, ids[each.begins])]
        if writes:
            await commit_memory(world, writes)
        for of in done:
            yield of


async def _ids(world: World, batch: Sequence[WaitingLinks]) -> dict[ForeignName, str]:
    """Which memories the links begin at and lead to, of those that were imported."""
    names = {name for each in batch for name in _names(each)}
    named = await world.ledger.foreign_names(HOME_SPACE, names)
    return {name: record.entry_id for name, record in named.items()}


def _names(waiting: WaitingLinks) -> Iterator[ForeignName]:
    yield waiting.begins
    for link in waiting.links:
        yield ForeignName(waiting.begins.agent, key=link.target)


async def _set(
    world: World,
    waiting: WaitingLinks,
    ids: Mapping[ForeignName, str],
    caller: Caller,
    intent: Intent,
    places: asyncio.Semaphore,
) -> LinksDone:
    """What became of the links of one record: set together, or one by one where one of them is refused."""
    source_id, done = ids.get(waiting.begins, ""), LinksDone()
    targets = [ids.get(ForeignName(waiting.begins.agent, key=link.target), link.target) for link in waiting.links]
    made = await _made_here(world, source_id) if waiting.came and source_id else frozenset[Link]()
    left = [number for number, link in enumerate(waiting.links) if _as_asked(link, targets[number]) not in made]
    pairs = [(waiting.links[number], targets[number]) for number in left]
    async with places:
        together = await _together(world, source_id, pairs, caller, intent) if len(pairs) > 1 and source_id else None
        if together is not None:
            done.set = together
            return done
        for number in left:
            await _one_of(world, waiting, number, (source_id, targets[number]), done, (caller, intent))
    return done


async def _made_here(world: World, source_id: str) -> frozenset[Link]:
    """The links that rules of this node made: a record that only says one of them does not make it somebody's own."""
    known = await world.ledger.entry(source_id)
    return frozenset(replace(link, made_by="") for link in known.links if link.made_by) if known else frozenset()


def _as_asked(foreign: ForeignLink, target: str) -> Link | None:
    """A link that nothing is said beside of; None for another."""
    return None if foreign.beside else Link(target, foreign.relation, foreign.weight)


async def _together(
    world: World, source_id: str, pairs: Sequence[tuple[ForeignLink, str]], caller: Caller, intent: Intent
) -> int | None:
    """How many of the links were not there before; None where they are not all set."""
    known = await world.ledger.entry(source_id)
    pairs_before = {link.pair for link in known.links} if known else set()
    beside: LinkFields = {}
    try:
        links = [Link(TARGET.exact("target", target), each.relation, each.weight) for each, target in pairs]
        for (foreign, _), link in zip(pairs, links, strict=True):
            if foreign.beside:
                beside.setdefault(link.target_id, {})[link.relation] = foreign.beside
        await link_memory(world, source_id, LinkChange(add=links, beside=beside), caller=caller, intent=intent)
    except Unavailable:
        raise
    except CsbError:
        return None
    return len({link.pair for link in links} - pairs_before)


async def _one_of(
    world: World, waiting: WaitingLinks, number: int, pair: tuple[str, str], done: LinksDone, by: tuple[Caller, Intent]
) -> None:
    """Set one link of a record, and note what became of it."""
    source_id, target = pair
    try:
        changed = await _linked(world, source_id, target, waiting.links[number], *by)
    except Unavailable:
        raise
    except CsbError as fault:
        place = f"{waiting.place}, links[{number}]" if waiting.came else waiting.place
        (done.faults if waiting.came else done.records).append(RecordOutcome(place, "refused", fault=fault))
        return
    done.set += changed
    if not waiting.came:
        outcome: Outcome = "linked" if changed else "unchanged"
        done.records.append(RecordOutcome(waiting.place, outcome, pair))


async def _linked(
    world: World, source_id: str, target: str, foreign: ForeignLink, caller: Caller, intent: Intent
) -> bool:
    """Whether the link was not there before."""
    if not source_id:
        raise Refused("memory_not_found", "the record where the link begins is no memory here", field="source")
    link = Link(TARGET.exact("target", target), foreign.relation, foreign.weight)
    try:
        return await _one(world, source_id, link, foreign, caller, intent)
    except Refused as fault:
        if fault.code.name != "link_cycle":
            raise
        beside = {"declared": foreign.relation} | dict(foreign.beside)
        other = replace(foreign, relation=UNNAMED, beside=beside)
        return await _one(world, source_id, replace(link, relation=UNNAMED), other, caller, intent)


async def _one(world: World, source_id: str, link: Link, foreign: ForeignLink, caller: Caller, intent: Intent) -> bool:
    beside = {link.target_id: {link.relation: foreign.beside}} if foreign.beside else {}
    change = LinkChange(add=(link,), beside=beside)
    return (await link_memory(world, source_id, change, caller=caller, intent=intent)).changed
