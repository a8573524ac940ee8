"""Some records of an import become memories, or the next versions of some: a batch at a time (CSB v1.0 §1.2.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from csbond.flows.edit_memory import edit_memory
from csbond.flows.entry_names import names_of_text
from csbond.flows.memory_record import memory_record
from csbond.flows.planned_write import RANDOM_LETTERS, drafted_entry
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import (
    Came,
    MemoryRequest,
    Outcome,
    came_writes,
    claim_writes,
    commit_memory,
    entry_writes,
    memory_writes,
    used_writes,
    write_memory,
)
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.entry_json import revised
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord
from csbond.protocol.memory.importing import (
    Fresh,
    Importing,
    KnownRecord,
    Planned,
    RecordOutcome,
    Refusal,
    Unchanged,
    Update,
    plan_import,
    rewritten,
)
from csbond.protocol.memory.told_elsewhere import INTEROP
from csbond.protocol.messages.caller import Caller

_HELD = "import"
"""What one batch holds at a time, so that no record is looked up while another import writes it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a record."""

    outcome: RecordOutcome
    waits: Came | None = None
    """Of a record whose links are to be set: what is kept of it when they all are."""


async def import_batch(
    world: World, records: Sequence[ForeignRecord], importing: Importing, caller: Caller, intent: Intent
) -> tuple[Imported, ...]:
    """What became of each record, in order, and is on disk; no two of them have one name.

    What is refused is said of its record alone; a fault of the node, such as a full disk, is raised.
    """
    async with world.writing.hold((_HELD,)):
        known, now = await _known(world, records, importing.own_agent, caller), world.clock.now()
        plan = await asyncio.to_thread(plan_import, records, known, now, importing)
        fresh = [each for each in plan if isinstance(each, Fresh) and len(each.contents) == 1]
        written = iter(await write_memory(world, [_request(each) for each in fresh], caller, intent))
        done: list[Imported] = []
        for each in plan:
            if isinstance(each, Fresh) and len(each.contents) == 1:
                outcome = _stored(each, next(written))
            else:
                outcome = await _carried_out(world, each, importing, caller, intent)
            waits = _waits(each) if outcome.outcome != "refused" else None
            done.append(Imported(outcome, waits))
    return tuple(done)


def _waits(planned: Planned) -> Came | None:
    waits = planned.links if isinstance(planned, Unchanged) else bool(planned.record.links)
    return None if isinstance(planned, Refusal) or not waits else Came(planned.record.name, planned.digest)


def _stored(planned: Fresh, written: Outcome) -> RecordOutcome:
    place = planned.record.place
    if isinstance(written, CsbError):
        return RecordOutcome(place, "refused", fault=written)
    return RecordOutcome(place, "unchanged" if written.merged else "stored", (written.entry.id,))


async def _known(
    world: World, records: Sequence[ForeignRecord], own_agent: str, caller: Caller
) -> dict[ForeignName, KnownRecord]:
    """The memories that these records were before, by the names the records have now."""
    named = await world.ledger.foreign_names(HOME_SPACE, [record.name for record in records])
    ids = {record.name: str(record.memory.get("id", "")) for record in records if record.name not in named}
    there = await world.ledger.entries_by_id([id_ for id_ in ids.values() if id_])
    known: dict[ForeignName, KnownRecord] = {}
    for name, record in named.items():
        pieces = await world.ledger.entry_pieces(record.entry_id)
        known[name] = KnownRecord(pieces, record.digest, record.linked)
    for name, id_ in ids.items():
        if id_ in there:
            held = not _may_change(there[id_], name.agent, own_agent, caller)
            known[name] = KnownRecord(await world.ledger.entry_pieces(id_), held=held)
    return known


def _may_change(entry: MemoryEntry, agent: str, own_agent: str, caller: Caller) -> bool:
    """Whether a record may change a memory that it only knows the id of.

    It is the importing caller's own, and the record comes from this home's agent, or from whom the memory came.
    """
    kept = entry.extra.get(INTEROP)
    whose = kept.get("agent") if isinstance(kept, Mapping) else None
    return entry.origin.caller_key == caller.key and agent in (own_agent, whose)


async def _carried_out(
    world: World, planned: Planned, importing: Importing, caller: Caller, intent: Intent
) -> RecordOutcome:
    place = planned.record.place
    try:
        if isinstance(planned, Refusal):
            return RecordOutcome(place, "refused", fault=planned.fault)
        if isinstance(planned, Fresh):
            return await _kept_in_pieces(world, planned, caller, intent)
        if isinstance(planned, Update):
            return await _updated(world, planned, importing, caller, intent)
    except Unavailable:
        raise
    except CsbError as fault:
        return RecordOutcome(place, "refused", fault=fault)
    pieces = planned.known.pieces
    if planned.known.digest != planned.digest and not planned.known.held:
        await commit_memory(world, came_writes(_came(planned), pieces[0].id))
    return RecordOutcome(place, "unchanged", tuple(piece.id for piece in pieces if not piece.deleted_at))


async def _kept_in_pieces(world: World, planned: Fresh, caller: Caller, intent: Intent) -> RecordOutcome:
    now, draft = world.clock.now(), planned.draft
    first = replace(drafted_entry(world, draft, caller, now), links=())
    entries = (first, *_further(world, first, planned.contents[1:], 1, now))
    writes, record = memory_writes(world, entries, intent, now)
    claims = claim_writes(caller, f"id:{draft.id}", planned.digest, first.id, now) if draft.id else ()
    await commit_memory(world, (*writes, *came_writes(_came(planned), first.id), *claims), record)
    return RecordOutcome(planned.record.place, "pieces", tuple(entry.id for entry in entries))


async def _updated(
    world: World, planned: Update, importing: Importing, caller: Caller, intent: Intent
) -> RecordOutcome:
    if len(planned.known.pieces) > 1 or len(planned.contents) > 1:
        return await _rewritten(world, planned, importing, caller, intent)
    before = planned.known.pieces[0]
    after = await edit_memory(world, before.id, planned.edit, importing.names, caller=caller, intent=intent)
    await commit_memory(world, came_writes(_came(planned), before.id))
    changed = after.version != before.version
    return RecordOutcome(planned.record.place, "updated" if changed else "unchanged", (before.id,))


async def _rewritten(
    world: World, planned: Update, importing: Importing, caller: Caller, intent: Intent
) -> RecordOutcome:
    """The next version of a text that is in pieces, or comes to be."""
    now, contents = world.clock.now(), planned.contents
    async with world.writing.hold(await names_of_text(world, planned.known.pieces[0].id)):
        pieces = await world.ledger.entry_pieces(planned.known.pieces[0].id)
        changed, more = rewritten(pieces, contents, now, caller.key)
        told = revised(pieces[0], planned.edit, now, importing.names)
        first = replace(told, version=pieces[0].version + 1)
        versions = {entry.id: entry for entry in changed} | {first.id: first}
        fresh = _further(world, first, more, len(pieces), now, after=pieces[-1].id)
        details = {"from_version": pieces[0].version, "to_version": first.version, "entries": list(versions)}
        records = [memory_record(world, "edit", first.id, intent, now, details)]
        writes = (*entry_writes(versions.values()), *used_writes((first,), now))
        if fresh:
            put, record = memory_writes(world, fresh, intent, now)
            writes, records = (*writes, *put), [*records, record]
        await commit_memory(world, (*writes, *came_writes(_came(planned), first.id)), *records)
    ids = [piece.id for piece in pieces[: len(contents)]]
    return RecordOutcome(planned.record.place, "updated", (*ids, *(entry.id for entry in fresh)))


def _further(
    world: World, first: MemoryEntry, contents: Sequence[str], place: int, now: int, after: str = ""
) -> tuple[MemoryEntry, ...]:
    """The pieces that go on from a text; what is kept beside its content is said by the first alone."""
    entries: list[MemoryEntry] = []
    before = after or first.id
    for number, content in enumerate(contents, place):
        id_ = dated_id("mem", now, world.identifiers.letters(RANDOM_LETTERS))
        piece = replace(first, id=id_, content=content, version=1, extends=before, piece=number, extra={}, links=())
        entries.append(replace(piece, kept_at=now, used_at=now, recent="", linked=False))
        before = id_
    return tuple(entries)


def _request(planned: Fresh) -> MemoryRequest:
    """The request for a new memory; its links wait until all it may link to is there."""
    draft = replace(planned.draft, links=())
    return MemoryRequest(draft, "", planned.digest if draft.id else "", _came(planned))


def _came(planned: Fresh | Unchanged | Update) -> Came:
    return Came(planned.record.name, planned.digest, _waits(planned) is None, planned.vector)
