"""What a change writes of memory. Only `flows/write_memory.py` makes these writes: there is no second way in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.foreign_record import ForeignName, ForeignVector
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.review import Review
from csbond.protocol.memory.snapshot import SnapshotHead, SnapshotLoad
from csbond.protocol.memory.use import Use
from csbond.protocol.memory.vector_map import VectorMap
from csbond.protocol.memory.whitespace import ArchivedMemory


@dataclass(frozen=True, slots=True)
class PutEntry:
    """Insert (version 1) or update a memory entry; the previous version is kept.

    An update leaves alone what is not said with an entry: when it was first kept, how it was used, and its links. One
    that changes the tier forgets that it was found there. An id that was cleared is `already_exists`, as one that is
    there: it is not given again while its record is kept.
    """

    entry: MemoryEntry


@dataclass(frozen=True, slots=True)
class SetLinks:
    """Let an entry have these links, and no longer those that are dropped; every other one stays as it is.

    So a link that comes back meanwhile, with its memory that is restored, is not taken for one that was to go. A new
    link to no living memory is `memory_not_found`, one that leads back `link_cycle`, more than an entry may have,
    hidden ones too, `invalid_params`; of two that say the same the later one counts.
    """

    source_id: str
    links: tuple[Link, ...]
    drop: tuple[tuple[str, str], ...] = ()
    """(target id, relation) of links that go; what is not there is no error."""
    made_at: int = 0
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class ClaimKey:
    """Keep which entry a write of memory made, unless its name is taken: then the whole change is `already_exists`.

    Read it by `repeated_request`; the key of the caller begins with `changes.LASTING`, so it is never forgotten.
    """

    caller_key: str
    name: str
    digest: str
    entry_id: str
    seen_at: int
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class TouchEntries:
    """Count uses of memories; neither their versions nor their places in the order change.

    A latest use never becomes earlier, so the order of two such writes does not matter. What is erased
    meanwhile is passed over; what is softly deleted may come back. What a piece counts for its text is counted by the
    first piece.
    """

    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class SetUsedAt:
    """Let a memory count as used now, without a use: somebody moved, restored or edited it."""

    entry_id: str
    at: int
    """Milliseconds since 1970; an earlier time than the latest use changes nothing."""
    anew: bool = False
    """Whether the uses it remembers are forgotten: somebody gave it another tier, which they must not undo."""


@dataclass(frozen=True, slots=True)
class SpareEntry:
    """Let no rule and no time to live take a memory for a while; its version and place in the order do not change."""

    entry_id: str
    until: int
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class EraseEntry:
    """Remove a memory with its versions, tags, words, vectors and links; what may be left of it is its record.

    The versions of others that linked to it no longer say so. An entry that is not at this version any more, or gone,
    is `version_conflict`. Its bytes are unreadable once `MemoryLedger.erase_traces` says so.
    """

    entry_id: str
    version: int
    erased_at: int
    """Milliseconds since 1970."""
    archive: ArchivedMemory | None = None
    """None in a home that keeps nothing."""


@dataclass(frozen=True, slots=True)
class PurgeArchive:
    """Remove records of cleared memories; what is not there is no error."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PutReview:
    """Keep a question to a person, or its answer.

    A second open question of its kind about a memory is `already_exists`; one about a memory that is gone, and an
    answer to a question that is not open, is `version_conflict`.
    """

    review: Review


@dataclass(frozen=True, slots=True)
class PutPolicy:
    """Keep the next version of a document the owner set, beside those before; another one is `version_conflict`."""

    name: str
    version: int
    """One more than the version before, from 1."""
    document: Mapping[str, Any]
    set_at: int
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class SnapshotMember:
    """Which version of a memory a snapshot holds, and the links it showed then."""

    entry_id: str
    version: int
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class PutSnapshot:
    """Keep a snapshot: which versions of which memories it holds, and no copy of them.

    The vectors of the model of its head are copied, of those memories that are at that version still. A memory that is
    gone meanwhile is not in it.
    """

    head: SnapshotHead
    space: str
    members: tuple[SnapshotMember, ...]


@dataclass(frozen=True, slots=True)
class DropSnapshot:
    """Let go of a snapshot; the memories stay. One that is not there is `snapshot_not_found`."""

    snapshot_id: str


@dataclass(frozen=True, slots=True)
class LogLoad:
    """Note that a snapshot was loaded."""

    load: SnapshotLoad


@dataclass(frozen=True, slots=True)
class PutForeignName:
    """Keep which memory a record from elsewhere became, in place of what its name meant before."""

    space: str
    name: ForeignName
    entry_id: str
    digest: str
    """Of the record."""
    linked: bool
    """Whether all its links are set."""


@dataclass(frozen=True, slots=True)
class KeepForeignVector:
    """Keep a vector of another model beside a memory, in place of the one before; no index ever sees it."""

    entry_id: str
    vector: ForeignVector


@dataclass(frozen=True, slots=True)
class PutVectorMap:
    """Keep a map from the vectors of another model, in place of the one before."""

    map: VectorMap


MemoryWrite = (
    PutEntry
    | SetLinks
    | ClaimKey
    | TouchEntries
    | SetUsedAt
    | SpareEntry
    | EraseEntry
    | PurgeArchive
    | PutReview
    | PutPolicy
    | PutSnapshot
    | DropSnapshot
    | LogLoad
    | PutForeignName
    | KeepForeignVector
    | PutVectorMap
)
"""Any of them."""
