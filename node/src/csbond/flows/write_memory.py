"""A memory is written: checked drafts become entries, with their record, in one transaction.

Every door uses this: REST and the commands through `write_memory`; a conversation leaves its memories in the
transaction that ends its turn (`flows/run_turn.py`), an edit and a deletion write the next version, all by
`entry_writes`. Vectors follow by themselves (`flows/index_vectors.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from csbond.flows.changes import LASTING, Change, RememberRequest, Write
from csbond.flows.memory_changes import PutEntry
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import CsbError, Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.entry_json import EntryDraft
from csbond.protocol.messages.caller import Caller

RANDOM_LETTERS = 12
"""Letters and digits of an id that this node gives: as many as the published schema allows."""


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """One memory to write; the key and the client's id each name the request when it is repeated, for ever."""

    draft: EntryDraft
    key: str = ""
    """The Idempotency-Key."""
    digest: str = ""
    """What must be equal for a repeat: the digest of the body."""

    @property
    def names(self) -> tuple[str, ...]:
        """What a repeat is known by; none for a request that is new each time."""
        named = (("key", self.key), ("id", self.draft.id))
        return tuple(f"{kind}:{name}" for kind, name in named if name)


Outcome = MemoryEntry | CsbError
"""What became of one request: its entry, or why there is none."""


async def write_memory(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    """What became of each request, in order; the good ones are on disk together.

    1. the node keeps up with its vectors (`too_busy`); 2. a repeat gets the entry of the first time; 3. an id that is
    taken and a key that was used for something else are `already_exists`.
    """
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    if not any(request.names for request in requests):
        return await _write(world, requests, caller, intent)
    async with world.keyed:
        return await _write(world, requests, caller, intent)


def memory_writes(
    world: World, entries: Sequence[MemoryEntry], intent: Intent, now: int
) -> tuple[tuple[Write, ...], AuditDraft]:
    """The writes of new entries and their record, to go into one transaction."""
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="memory_write",
        timestamp=now,
        operation="write_memory",
        target=entries[0].id,
        intent=intent,
        details={"entries": [entry.id for entry in entries]},
    )
    return entry_writes(entries), record


def entry_writes(entries: Iterable[MemoryEntry]) -> tuple[Write, ...]:
    """The writes that put entries, new ones or the next versions of some, to go into one transaction."""
    return tuple(PutEntry(entry) for entry in entries)


async def _write(
    world: World, requests: Sequence[MemoryRequest], caller: Caller, intent: Intent
) -> tuple[Outcome, ...]:
    now = world.clock.now()
    outcomes: list[Outcome] = []
    fresh: list[MemoryEntry] = []
    keys: list[Write] = []
    for request in requests:
        earlier = await _earlier(world, request, caller, fresh)
        outcomes.append(earlier or _entry(world, request.draft, caller, now))
        if isinstance(outcomes[-1], MemoryEntry) and earlier is None:
            fresh.append(outcomes[-1])
            keys += (
                RememberRequest(LASTING + caller.key, name, request.digest, fresh[-1].id, now) for name in request.names
            )
    if not fresh:
        return tuple(outcomes)
    writes, record = memory_writes(world, fresh, intent, now)
    committed = await world.ledger.commit(Change(HOME_SPACE, (*writes, *keys), (record,)))
    world.signals.wake(writes)
    new = {entry.id for entry in fresh}
    seq = committed.space_seq
    return tuple(
        replace(outcome, seq=seq, text_seq=seq) if isinstance(outcome, MemoryEntry) and outcome.id in new else outcome
        for outcome in outcomes
    )


async def _earlier(
    world: World, request: MemoryRequest, caller: Caller, fresh: Sequence[MemoryEntry]
) -> Outcome | None:
    """The entry of an earlier request, or why this one is refused; None for a new one."""
    if request.draft.id and any(entry.id == request.draft.id for entry in fresh):
        return _taken(request.draft.id)
    for name in request.names:
        seen = await world.ledger.repeated_request(LASTING + caller.key, name)
        if seen:
            return await _repeated(world, request, seen[0], seen[1])
    if request.draft.id and await world.ledger.entry(request.draft.id):
        return _taken(request.draft.id)
    return None


async def _repeated(world: World, request: MemoryRequest, digest: str, entry_id: str) -> Outcome:
    entry = await world.ledger.entry(entry_id)
    if digest != request.digest and entry_id == request.draft.id:
        return _taken(entry_id)
    if digest != request.digest:
        return Refused(
            "already_exists",
            f"the Idempotency-Key {request.key} named another memory before",
            next_step="use a new one",
        )
    if entry is None or entry.deleted_at:
        return Refused("already_exists", f"{entry_id} was written before and is deleted", next_step="use a new id")
    return entry


def _taken(entry_id: str) -> Refused:
    return Refused(
        "already_exists", f"there is a memory {entry_id} already", next_step="edit it, or use a new id", field="id"
    )


def _entry(world: World, draft: EntryDraft, caller: Caller, now: int) -> MemoryEntry:
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
        origin=Origin(caller_key=caller.key),
        last_accessed=draft.last_accessed,
        access_count=draft.access_count,
        ttl=draft.ttl,
        extra=draft.extra,
    )
