"""Memories come from elsewhere: every record of a source is stored, unchanged, updated, linked or refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from csbond.flows.import_batch import import_batch
from csbond.flows.import_links import WaitingLinks, import_links, waiting, waiting_relation
from csbond.flows.memory_record import memory_record
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import commit_memory
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord, ForeignRelation, Read, Unread
from csbond.protocol.memory.importing import Importing, RecordOutcome
from csbond.protocol.memory.rights import may_exchange
from csbond.protocol.messages.caller import Caller

BATCH = 50
"""Records that are written together: few enough that nobody else waits long for their turn."""


@dataclass(slots=True)
class ImportSum:
    """How many records there were, and what became of them; together they are all."""

    records: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    links_set: int = 0
    links_refused: int = 0
    """Links that a record says beside what it is; a record that is nothing but a link is among the records."""

    def count(self, outcome: RecordOutcome) -> None:
        """Count a record."""
        self.records += 1
        self.outcomes[outcome.outcome] += 1


async def import_memory(
    world: World, reads: Iterable[Read], importing: Importing, source: str, caller: Caller, intent: Intent
) -> AsyncIterator[RecordOutcome | ImportSum]:
    """What becomes of each record, as soon as it is on disk, and of links that cannot be set; the sum comes last.

    It may be ended at any time and begun again: what is there already is unchanged. `source` names the format, for the
    record of the import.

    1. the caller is the owner (`forbidden`); 2. the node keeps up with its vectors (`too_busy`).
    """
    may_exchange(caller)
    importing = _of_this_home(world, importing)
    total, links = ImportSum(), list[WaitingLinks]()
    batches = _batches(reads)
    # Read beside the event loop: one part of a source may be a book.
    while batch := await asyncio.to_thread(next, batches, None):
        for outcome in await _done(world, batch, importing, caller, intent, links):
            total.count(outcome)
            yield outcome
    async for done in import_links(world, links, caller, intent):
        total.links_set += done.set
        total.links_refused += len(done.faults)
        for outcome in done.records:
            total.count(outcome)
            yield outcome
        for outcome in done.faults:
            yield outcome
    await _record(world, total, source, intent)
    yield total


def _of_this_home(world: World, importing: Importing) -> Importing:
    importing = replace(importing, own_agent=world.agent.name)
    if world.embedder is None:
        return importing
    return replace(importing, own_model=world.embedder.model_id, own_dimension=world.embedder.dimension)


def _batches(reads: Iterable[Read]) -> Iterator[list[tuple[Read, bool]]]:
    """What was read, some at a time, each with whether its name came before; no name is twice in one batch."""
    seen, here, batch = set[ForeignName](), set[ForeignName](), list[tuple[Read, bool]]()
    for read in reads:
        name = read.name if isinstance(read, ForeignRecord) else None
        if len(batch) == BATCH or name in here:
            yield batch
            here, batch = set(), []
        batch.append((read, name in seen))
        if name is not None:
            seen.add(name)
            here.add(name)
    if batch:
        yield batch


async def _done(
    world: World,
    batch: Sequence[tuple[Read, bool]],
    importing: Importing,
    caller: Caller,
    intent: Intent,
    links: list[WaitingLinks],
) -> list[RecordOutcome]:
    """What became of a batch, in order; links are left for later."""
    records = [read for read, _ in batch if isinstance(read, ForeignRecord)]
    imported = iter(await import_batch(world, records, importing, caller, intent) if records else ())
    outcomes: list[RecordOutcome] = []
    for read, again in batch:
        if isinstance(read, Unread):
            outcomes.append(RecordOutcome(read.place, "refused", fault=read.fault))
        elif isinstance(read, ForeignRelation):
            links.append(waiting_relation(read))
        else:
            done = next(imported)
            outcomes.append(replace(done.outcome, same_key=again))
            if done.waits:
                links.append(waiting(read, done.waits))
    return outcomes


async def _record(world: World, total: ImportSum, source: str, intent: Intent) -> None:
    now = world.clock.now()
    details = {"format": source, "records": total.records, **total.outcomes, "links": total.links_set}
    await commit_memory(world, (), memory_record(world, "import", HOME_SPACE, intent, now, details))
