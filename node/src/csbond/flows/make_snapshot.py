"""A snapshot is made: which version of which memories it holds, under a checksum of what they say (MEM-006 §6.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from csbond.flows.changes import LASTING
from csbond.flows.made_again import made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.read_memory import entry_query
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import claim_writes, commit_memory, snapshot_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused, RemoteProtocolError
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry, checked_text, refused
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.rights import may_distribute
from csbond.protocol.memory.snapshot import DESCRIPTION_MAX, SnapshotEntry, SnapshotHead, SnapshotLimits
from csbond.protocol.memory.snapshot_json import SnapshotText, entry_line
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import Caller

RANDOM_LETTERS = 12
"""Letters and digits of the id of a snapshot."""


@dataclass(frozen=True, slots=True)
class SnapshotRequest:
    """What to make a snapshot of."""

    description: str = ""
    wanted: EntryFilter = field(default_factory=EntryFilter)
    links: bool = True
    embeddings: bool = False
    key: str = ""
    """The Idempotency-Key."""
    digest: str = ""
    """What must be equal for a repeat: the digest of the body."""

    @property
    def name(self) -> str:
        """What a repeat is known by."""
        return f"key:{self.key}"


async def make_snapshot(world: World, request: SnapshotRequest, caller: Caller, intent: Intent) -> SnapshotHead:
    """The head of a new snapshot of the living memories that a filter admits; texts in pieces are in it whole.

    With embeddings it keeps the vectors of this node's model, or those that clients supplied where it has none.

    1. the caller is the owner (`forbidden`); 2. the description can be kept, and the filter asks for nothing deleted
    (`invalid_params`); 3. under a key that made one before, that one is answered (`already_exists` for another body,
    `snapshot_not_found` when it is gone); 4. no more memories and bytes than a snapshot holds (`invalid_params`).
    """
    may_distribute(caller)
    _check(request)
    again = ("already_exists",) if request.key else ()
    return await made_again(lambda: _made(world, request, caller, intent), again)


def snapshot_limits(world: World) -> SnapshotLimits:
    """How much a snapshot of this home holds, and one that is loaded."""
    return SnapshotLimits(world.limits.snapshot_memories, world.limits.snapshot_bytes)


def _check(request: SnapshotRequest) -> None:
    if len(request.description) > DESCRIPTION_MAX:
        raise refused("description", f"must be a text of at most {DESCRIPTION_MAX} characters")
    checked_text("description", request.description)
    if request.wanted.deleted:
        raise refused("filter.deleted", "asks for what is deleted, which no snapshot shows")


async def _made(world: World, request: SnapshotRequest, caller: Caller, intent: Intent) -> SnapshotHead:
    repeated = await _repeated(world, request, caller)
    if repeated:
        return repeated
    now = world.clock.now()
    entries = await _entries(world, request.wanted)
    embedder = world.embedder if request.embeddings else None
    head = SnapshotHead(
        id=dated_id("snap", now, world.identifiers.letters(RANDOM_LETTERS)),
        created=now,
        source=world.agent.name,
        description=request.description,
        includes_links=request.links,
        includes_embeddings=request.embeddings,
        model_id=embedder.model_id if embedder else "",
    )
    ids = [entry.id for entry in entries]
    vectors = await world.ledger.snapshot_vectors(HOME_SPACE, head.model_id, ids) if embedder else {}
    head = await asyncio.to_thread(_counted, head, entries, vectors, world.limits.snapshot_bytes)
    details = {"total": head.total, "checksum": head.checksum, "embeddings": request.embeddings}
    record = memory_record(world, "snapshot", head.id, intent, now, details)
    claims = claim_writes(caller, request.name, request.digest, head.id, now) if request.key else ()
    await commit_memory(world, (*snapshot_writes(head, entries), *claims), record)
    return head


async def _repeated(world: World, request: SnapshotRequest, caller: Caller) -> SnapshotHead | None:
    """The snapshot that a request of this key made before."""
    seen = await world.ledger.repeated_request(LASTING + caller.key, request.name) if request.key else None
    if seen is None:
        return None
    if seen[0] != request.digest:
        reason = f"the Idempotency-Key {request.key} named another request before"
        raise Refused("already_exists", reason, next_step="use a new one")
    head = await world.ledger.snapshot_head(seen[1])
    if head is None:
        raise Refused("snapshot_not_found", f"the snapshot {seen[1]}, which this key made, was deleted")
    return head


async def _entries(world: World, wanted: EntryFilter) -> Sequence[MemoryEntry]:
    """What the filter admits in one state of the ledger, by id."""
    most = world.limits.snapshot_memories
    page = await world.ledger.entries(entry_query(wanted, Audience(everything=True), None, most))
    found = {entry.id: entry for entry in page.rows}
    if wanted.text or wanted.link_target:  # which one piece may have and the others not
        for entry in page.rows:
            if entry.origin.message_id or entry.extends:
                pieces = await world.ledger.entry_pieces(entry.id)
                found |= {piece.id: piece for piece in pieces if not piece.deleted_at}
    if page.next_cursor or len(found) > most:
        raise refused("filter", f"fits more than {most} memories; make several snapshots, each of a part of them")
    return [found[id_] for id_ in sorted(found)]


def _counted(
    head: SnapshotHead, entries: Sequence[MemoryEntry], vectors: Mapping[str, bytes], most: int
) -> SnapshotHead:
    """The head with the counts and the checksum of what is in the snapshot."""
    text = SnapshotText(head)
    size = len(text.first())
    for entry in entries:
        size += len(text.memory(_line(SnapshotEntry(entry, vectors.get(entry.id)), head), entry.level))
        if size > most:
            raise refused(
                "filter", f"fits more than the {most} bytes of one snapshot; make several, without embeddings"
            )
    return text.head()


def _line(held: SnapshotEntry, head: SnapshotHead) -> bytes:
    try:
        return entry_line(held, head)
    except RemoteProtocolError as fault:
        raise RemoteProtocolError(
            "invalid_params",
            f"filter fits the memory {held.entry.id}, whose {fault.reason}",
            next_step="write that number as a text, or choose a filter that the memory does not fit",
            field="filter",
        ) from fault
