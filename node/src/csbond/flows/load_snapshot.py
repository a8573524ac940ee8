"""A snapshot is loaded by the owner's order: checked whole, then written batch by batch, then logged (MEM-006 §6.3)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from csbond.flows.changes import Write
from csbond.flows.link_refused import LinkRefused
from csbond.flows.link_targets import memories
from csbond.flows.made_again import OVERTAKEN, made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.verify_snapshot import verify_snapshot
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, entry_writes, link_writes, load_log_writes, used_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.batch_links import leading_back
from csbond.protocol.memory.entry import MemoryEntry, checked_text, refused
from csbond.protocol.memory.link import INVERSE, ORDERED
from csbond.protocol.memory.near_duplicates import MADE_BY
from csbond.protocol.memory.snapshot import Snapshot, SnapshotLoad, SnapshotMemory
from csbond.protocol.memory.snapshot_loading import (
    LinkPlan,
    LoadPlan,
    is_untouched,
    plan_load,
    united,
    without_replaced,
)
from csbond.protocol.memory.snapshot_texts import texts_of
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.caller import Caller

BATCH = 200
"""Memories of one transaction, as many as tending moves: others write and read between two of them."""
CONFLICTS_KEPT = 1000
"""Conflicts that the log names; its count is whole."""
SOURCE_MAX = 512
"""Code points of where a file came from."""
VERSIONS_LOOKED_AT = 16
"""Of a memory that this node itself has linked: more of them are not made by that alone."""
_TRIES = 8
"""How often a batch of links is tried without those that are refused; then those of each memory are set apart."""
_AGAIN = OVERTAKEN | {"already_exists"}
_EVERYTHING = Audience(everything=True)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """How to load a file."""

    source: str = ""
    """Where it came from, for the log."""
    replaces: bool = False
    """Let what the file says take the place of what is here with another content."""
    lenient: bool = False
    """Let names pass in its head that nobody knows."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded, or would be."""

    snapshot: Snapshot
    plan: LoadPlan
    dry_run: bool
    log_id: str = ""
    """The line of the log; empty for a dry run."""
    refused_links: tuple[tuple[str, str], ...] = ()
    """Links that lead an order back to its beginning, or to what went away meanwhile: they were left out."""


@dataclass(frozen=True, slots=True)
class _Loading:
    """One run: what is loaded, by whom, and as of when."""

    snapshot: Snapshot
    request: LoadRequest
    there: Collection[str]
    caller: Caller
    intent: Intent
    now: int


async def load_snapshot(world: World, raw: bytes, request: LoadRequest, caller: Caller, intent: Intent) -> Loaded:
    """What became of each memory of a file; of one that is not whole nothing is written, and again it adds nothing.

    1. the caller is the owner (`forbidden`), and where the file came from can be kept (`invalid_params`); 2. the file
    is whole and this node can read it (`snapshot_refused`); 3. the node keeps up with its vectors (`too_busy`); 4. the
    entries are written, then their links, in transactions of their own: one that was interrupted is loaded again; 5.
    the log says so, last of all.
    """
    if len(request.source) > SOURCE_MAX:
        raise refused("source", f"must be a text of at most {SOURCE_MAX} characters")
    checked_text("source", request.source)
    snapshot = await verify_snapshot(world, raw, caller, lenient=request.lenient)
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    there = await _there(world, snapshot.memories)
    loading = _Loading(snapshot, request, there, caller, intent, world.clock.now())
    if request.dry_run:
        plans = [await _plan(world, loading, batch) for batch in _whole_texts(snapshot.memories)]
        return Loaded(snapshot, united(plans), dry_run=True)
    written = [
        await made_again(partial(_entries, world, loading, batch), _AGAIN) for batch in _whole_texts(snapshot.memories)
    ]
    plan = united(written)
    left_out = await _links(world, loading, plan.links)
    return Loaded(snapshot, plan, False, await _log(world, loading, plan, left_out), tuple(left_out))


def counts_of(loaded: Loaded) -> dict[str, int]:
    """How many memories became what."""
    return _counts(loaded.plan, len(loaded.refused_links))


async def _there(world: World, found: Sequence[SnapshotMemory]) -> frozenset[str]:
    """The memories that links may lead to, here or from the file: none that was deleted here."""
    ids = [memory.draft.id for memory in found]
    gone: set[str] = set()
    for batch in _batches(ids):
        here = await _here(world, batch)
        await asyncio.sleep(0)  # a read does not wait, so nobody else would get a turn
        gone |= {id_ for id_, known in here.items() if isinstance(known, ArchivedMemory) or known.deleted_at}
    wanted = {target for memory in found for target in memories(memory.draft.links)}
    elsewhere = wanted - set(ids)
    living = await world.ledger.living_ids(elsewhere, _EVERYTHING) if elsewhere else frozenset[str]()
    return (frozenset(ids) - gone) | living


async def _here(world: World, ids: Sequence[str]) -> Mapping[str, MemoryEntry | ArchivedMemory]:
    archived: Mapping[str, MemoryEntry | ArchivedMemory] = await world.ledger.archived_by_id(ids)
    return {**archived, **await world.ledger.entries_by_id(ids)}


async def _plan(world: World, loading: _Loading, batch: Sequence[SnapshotMemory]) -> LoadPlan:
    here = await _here(world, [memory.draft.id for memory in batch])
    replaces, untouched = loading.request.replaces, await _untouched(world, here)
    planned = partial(plan_load, replaces=replaces, untouched=untouched)
    plan = await asyncio.to_thread(planned, batch, here, loading.there, loading.now)
    return without_replaced(plan, await _of_other_texts(world, plan, batch)) if plan.replaced else plan


async def _untouched(world: World, here: Mapping[str, MemoryEntry | ArchivedMemory]) -> frozenset[str]:
    """Of what is here: what only this node has linked since it came, to what is nearly the same."""
    untouched = set()
    for known in here.values():
        if isinstance(known, MemoryEntry) and any(link.made_by == MADE_BY for link in known.links):
            earlier = await world.ledger.versions_before(known.id, known.version, VERSIONS_LOOKED_AT)
            if is_untouched(earlier, known):
                untouched.add(known.id)
    return frozenset(untouched)


async def _of_other_texts(world: World, plan: LoadPlan, batch: Sequence[SnapshotMemory]) -> frozenset[str]:
    """Of what is to be replaced: pieces of a text that has other pieces here than in the file.

    What is left of such a text would go on from what it does not belong to.
    """
    texts = [tuple(piece.draft.id for piece in text) for text in texts_of(batch)]
    in_file = {id_: ids for ids in texts for id_ in ids}
    other = set()
    for known, _ in plan.replaced:
        pieces = await world.ledger.entry_pieces(known.id)
        if tuple(piece.id for piece in pieces if not piece.deleted_at) != in_file[known.id]:
            other.add(known.id)
    return frozenset(other)


async def _entries(world: World, loading: _Loading, batch: Sequence[SnapshotMemory]) -> LoadPlan:
    """Write what is new and what is replaced of a batch, in one transaction with its record."""
    plan = await _plan(world, loading, batch)
    after = [entry for _, entry in plan.replaced]
    if plan.fresh or after:
        details = {"entries": [entry.id for entry in plan.fresh], "replaced": [entry.id for entry in after]}
        writes = (*entry_writes((*plan.fresh, *after)), *used_writes(after, loading.now))
        await _commit(world, loading, writes, details)
    return plan


async def _links(world: World, loading: _Loading, plans: Sequence[LinkPlan]) -> list[tuple[str, str]]:
    """Set the links, and tell those that cannot be."""
    left_out: list[tuple[str, str]] = []
    sent = {place: (plan.entry_id, plan.links) for place, plan in enumerate(plans)}
    back = await asyncio.to_thread(leading_back, sent)
    whole = [_without_orders(plan, left_out) if place in back else plan for place, plan in enumerate(plans)]
    for batch in _batches(whole):
        if not await _set(world, loading, list(batch), left_out, _TRIES):
            for plan in batch:
                await _set(world, loading, [plan], left_out, len(plan.links) + 1)
    return left_out


def _without_orders(plan: LinkPlan, left_out: list[tuple[str, str]]) -> LinkPlan:
    back = [link for link in plan.links if INVERSE.get(link.relation, link.relation) in ORDERED]
    left_out += [(plan.entry_id, link.target_id) for link in back]
    return replace(plan, links=tuple(link for link in plan.links if link not in back))


async def _set(
    world: World, loading: _Loading, plans: list[LinkPlan], left_out: list[tuple[str, str]], tries: int
) -> bool:
    """Whether the links of a batch were set, without those that the ledger refuses."""
    dropped: list[tuple[str, str]] = []
    for _ in range(tries):
        plans = [plan for plan in plans if plan.links or plan.drop]
        if not plans:
            left_out += dropped
            return True
        writes = [write for plan in plans for write in link_writes(plan.entry_id, plan.links, loading.now, plan.drop)]
        try:
            await _commit(world, loading, writes, {"linked": [plan.entry_id for plan in plans]})
        except LinkRefused as fault:
            plans = [_without_refused(plan, fault, dropped) for plan in plans]
        else:
            left_out += dropped
            return True
    return False


def _without_refused(plan: LinkPlan, fault: LinkRefused, dropped: list[tuple[str, str]]) -> LinkPlan:
    if plan.entry_id != fault.source_id:
        return plan
    refused_one = fault.link
    gone = [link for link in plan.links if refused_one is None or link.pair == refused_one.pair]
    dropped += [(plan.entry_id, link.target_id) for link in gone]
    left = tuple(link for link in plan.links if link not in gone)
    return LinkPlan(plan.entry_id, left, plan.drop if left or refused_one else ())


async def _log(world: World, loading: _Loading, plan: LoadPlan, left_out: Sequence[tuple[str, str]]) -> str:
    now, head = world.clock.now(), loading.snapshot.head
    load = SnapshotLoad(
        id=dated_id("load", now, world.identifiers.letters(8)),
        snapshot_id=head.id,
        agent=head.source,
        source=loading.request.source,
        checksum=head.checksum,
        loaded_at=now,
        loaded_by=loading.caller.key,
        counts=_counts(plan, len(left_out)),
        conflicts=plan.conflicts[:CONFLICTS_KEPT],
        lenient=bool(loading.snapshot.unknown),
    )
    await _commit(world, loading, load_log_writes(load), {"load": load.id, "counts": dict(load.counts)})
    return load.id


async def _commit(world: World, loading: _Loading, writes: Sequence[Write], details: Mapping[str, Any]) -> None:
    head = loading.snapshot.head
    told = {"checksum": head.checksum, **details}
    record = memory_record(world, "load", head.id or "snapshot", loading.intent, loading.now, told)
    await commit_memory(world, writes, record)


def _counts(plan: LoadPlan, left_out: int) -> dict[str, int]:
    return Counter(
        loaded=len(plan.fresh),
        same=len(plan.same),
        replaced=len(plan.replaced),
        conflicts=len(plan.conflicts),
        deleted_here=len(plan.deleted_here),
        outlived=len(plan.outlived),
        unresolved_links=len(plan.unresolved_links) + left_out,
    )


def _whole_texts(memories: Sequence[SnapshotMemory]) -> Iterator[Sequence[SnapshotMemory]]:
    """Batches that hold texts whole: of an interrupted load no piece is left without the others."""
    batch: list[SnapshotMemory] = []
    for text in texts_of(memories):
        if batch and len(batch) + len(text) > BATCH:
            yield batch
            batch = []
        batch += text
    if batch:
        yield batch


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for begin in range(0, len(items), BATCH):
        yield items[begin : begin + BATCH]
