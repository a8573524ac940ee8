"""What a change writes of memory. Only `flows/write_memory.py` makes these writes: there is no second way in."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.memory.entry import MemoryEntry


@dataclass(frozen=True, slots=True)
class PutEntry:
    """Insert (version 1) or update a memory entry; the previous version is kept."""

    entry: MemoryEntry


MemoryWrite = PutEntry
"""Any of them."""
