"""What a write repeats: an earlier request, by its key or id, or a memory that says the same. It only reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import orjson

from csbond.flows.changes import LASTING
from csbond.flows.world import World
from csbond.protocol.errors import Refused
from csbond.protocol.memory.duplicates import same_memory
from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.entry_json import EntryDraft
from csbond.protocol.memory.foreign_record import ForeignName, ForeignVector
from csbond.protocol.memory.text_key import text_key
from csbond.protocol.messages.caller import Caller, CallerKind

_MERGED = " merged"
"""What follows the digest of a claim whose memory was there before: a repeat is answered as the first time.

After it comes, as JSON, what the memory had no room for, if anything.
"""


@dataclass(frozen=True, slots=True)
class Came:
    """How a record came from elsewhere: under which name, and with a vector of another model."""

    name: ForeignName
    digest: str
    linked: bool = True
    """Whether all its links are set."""
    vector: ForeignVector | None = None


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """One memory to write; the key and the client's id each name the request when it is repeated, for ever."""

    draft: EntryDraft
    key: str = ""
    """The Idempotency-Key."""
    digest: str = ""
    """What must be equal for a repeat: the digest of the body."""
    came: Came | None = None
    """What is kept of a record from elsewhere, beside its memory."""

    @property
    def alone(self) -> bool:
        """Whether it is a memory of its own, whatever others say: it has an id, or a name where it comes from."""
        return bool(self.draft.id) or self.came is not None

    @property
    def names(self) -> tuple[str, ...]:
        """What a repeat is known by; none for a request that is new each time."""
        named = (("key", self.key), ("id", self.draft.id))
        return tuple(f"{kind}:{name}" for kind, name in named if name)

    def claimed(self, merged: bool, left_out: Sequence[str] = ()) -> str:
        """The digest to claim its names with."""
        told = orjson.dumps(left_out).decode() if left_out else ""
        return f"{self.digest}{_MERGED}{told}" if merged else self.digest


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory that is there after its write."""

    entry: MemoryEntry
    merged: bool = False
    """Whether it was there before, so that the two became one."""
    left_out: tuple[str, ...] = ()
    """What it had no room for: `tags`, `links` and fields, by their names."""


def names_of(world: World, requests: Iterable[MemoryRequest], caller: Caller) -> set[str]:
    """What nobody else may be writing while these are looked up and written."""
    requests = tuple(requests)
    names = {f"{caller.key} key:{request.key}" for request in requests if request.key}
    names |= {f"id:{request.draft.id}" for request in requests if request.draft.id}
    if world.merges:
        names |= {_text_name(Origin(caller.key), each.draft.content) for each in requests if not each.alone}
    return names


def told_names(world: World, entries: Sequence[MemoryEntry]) -> set[str]:
    """What nobody else may be writing while `told_before` is asked of these; none for what is new in any case."""
    if len(entries) != 1 or not world.merges:
        return set()
    return {_text_name(entries[0].origin, entries[0].content)}


async def earlier_write(world: World, request: MemoryRequest, caller: Caller) -> Kept | Refused | None:
    """What an earlier request of this name left, or why this one is refused; None for a new one."""
    for name in request.names:
        seen = await world.ledger.repeated_request(LASTING + caller.key, name)
        if seen:
            return await _repeated(world, request, seen[0], seen[1])
    if request.draft.id and await world.ledger.entry(request.draft.id):
        return taken(request.draft.id)
    if request.draft.id and await world.ledger.archived(request.draft.id):
        if caller.kind is not CallerKind.OWNER:
            return taken(request.draft.id)  # the archive is the owner's alone
        reason = f"there was a memory {request.draft.id}, which was cleared"
        return Refused("already_exists", reason, next_step="use a new id", field="id")
    return None


async def known_memory(world: World, fresh: MemoryEntry, named: Collection[str] = ()) -> MemoryEntry | None:
    """The memory that a fresh entry says once more; None where each is kept by itself.

    `named` is what the client said of it (`EntryDraft.named`).
    """
    if not world.merges:
        return None
    timestamp = fresh.timestamp if "timestamp" in named else None
    alike = await world.ledger.entries_of_text(
        fresh.space, text_key(fresh.content), fresh.origin, timestamp, limit=1, like=fresh
    )
    return next((known for known in alike if same_memory(known, fresh, named)), None)


async def told_before(world: World, entries: Sequence[MemoryEntry]) -> tuple[str, ...]:
    """The id of the memory that what a message leaves says once more; none for what is new or comes in pieces."""
    known = await known_memory(world, entries[0]) if len(entries) == 1 else None
    return (known.id,) if known else ()


def taken(entry_id: str) -> Refused:
    """The refusal of an id that another memory has."""
    return Refused(
        "already_exists", f"there is a memory {entry_id} already", next_step="edit it, or use a new id", field="id"
    )


def _text_name(origin: Origin, content: str) -> str:
    """Only what one caller said in one thread can be the same memory."""
    return f"text:{origin.caller_key} {origin.thread_id} {text_key(content).hex()}"


async def _repeated(world: World, request: MemoryRequest, claimed: str, entry_id: str) -> Kept | Refused:
    entry = await world.ledger.entry(entry_id)
    digest, merged, left_out = claimed.partition(_MERGED)
    if digest != request.digest and entry_id == request.draft.id:
        return taken(entry_id)
    if digest != request.digest:
        return Refused(
            "already_exists",
            f"the Idempotency-Key {request.key} named another memory before",
            next_step="use a new one",
        )
    if entry is None or entry.deleted_at:
        return Refused("already_exists", f"{entry_id} was written before and is deleted", next_step="use a new id")
    return Kept(entry, bool(merged), tuple(orjson.loads(left_out)) if left_out else ())
