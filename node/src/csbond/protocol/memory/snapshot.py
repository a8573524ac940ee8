"""A snapshot of memories: what its head says, what it holds, and how much that may be (MEM-006 §6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from csbond.protocol.memory.entry import Level, MemoryEntry, Origin
from csbond.protocol.memory.entry_json import EntryDraft

VERSION = "1.0"
"""Of the file."""
SCHEMA_VERSION = "v1"
"""Of the memories in it."""
SUFFIX = ".csb-memory-snapshot"
"""With which the name of such a file ends."""
MEDIA_TYPE = "application/vnd.csb.memory-snapshot+json"
"""What such a file is called where it travels."""
DESCRIPTION_MAX = 512
"""Code points of what a snapshot is for."""
DEPTH_MAX = 64
"""Brackets inside brackets, as in any other body."""
NUMBERS_MAX = 2_048 + 256
"""Values of one memory, its vector among them, on average over the file."""
OBJECTS_MAX = 64
"""Lists and objects of one memory, on average over as many memories as a file may have: each takes more room in the
memory of the node than in the file."""


@dataclass(frozen=True, slots=True)
class SnapshotLimits:
    """How much one snapshot holds."""

    memories: int = 20_000
    bytes: int = 64 * 1024 * 1024
    """Of the file."""


@dataclass(frozen=True, slots=True)
class SnapshotHead:
    """What is said of a snapshot beside its memories."""

    id: str
    """Empty in a file that names none."""
    created: int
    """Milliseconds since 1970."""
    source: str
    """The name of the agent that made it."""
    description: str = ""
    total: int = 0
    levels: Mapping[Level, int] = field(default_factory=dict)
    """How many memories there are of each tier."""
    checksum: str = ""
    includes_links: bool = True
    includes_embeddings: bool = False
    model_id: str = ""
    """Whose vectors it has; empty for those that clients supplied."""


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """A memory as it was when a snapshot was made, and its vector then, if the snapshot keeps vectors."""

    entry: MemoryEntry
    embedding: bytes | None = None


@dataclass(frozen=True, slots=True)
class SnapshotMemory:
    """A memory read from a snapshot."""

    draft: EntryDraft
    origin: Origin
    """Where it came from there; of whom is not told."""
    extends: str = ""
    piece: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot that was read whole and found good."""

    head: SnapshotHead
    memories: tuple[SnapshotMemory, ...]
    """Without those that were deleted where it was made."""
    unknown: tuple[str, ...] = ()
    """Names in its head that this node does not know; none unless they were let pass."""


@dataclass(frozen=True, slots=True)
class SnapshotLoad:
    """One line of the log of loads (MEM-006 §6.3)."""

    id: str
    snapshot_id: str
    agent: str
    """Who made the snapshot, as it says."""
    source: str
    """Where the file came from, as whoever loaded it says."""
    checksum: str
    loaded_at: int
    loaded_by: str
    """The key of the caller."""
    counts: Mapping[str, int]
    """How many memories were loaded, were the same, and so on."""
    conflicts: tuple[str, ...] = ()
    """The memories that are here with another content and stayed as they were: the first of them."""
    lenient: bool = False
    """Whether names that nobody knows were let pass."""
