"""What a change writes of memory. Only `flows/write_memory.py` makes these writes: there is no second way in."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import Link


@dataclass(frozen=True, slots=True)
class PutEntry:
    """Insert (version 1) or update a memory entry; the previous version is kept.

    An update leaves alone what is not said with an entry: when it was first kept, how it was used, and its links.
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


MemoryWrite = PutEntry | SetLinks | ClaimKey
"""Any of them."""
