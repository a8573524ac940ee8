"""Vector rows, how far a Space is indexed by a model, and what is to be indexed."""

from __future__ import annotations

from csbond.flows.ports import StoredVector
from csbond.protocol.memory.entry import MemoryEntry
from csbond.testing.open_rows import OpenRows


class VectorReads(OpenRows):
    """The vector side of the ledger."""

    async def entries_after(self, space: str, seq: int, limit: int) -> tuple[MemoryEntry, ...]:
        """Entries changed after a place in the order, softly deleted ones too, oldest change first."""
        rows = self._open()
        changed = [entry for entry in rows.entries.values() if entry.space == space and entry.seq > seq]
        return tuple(map(rows.shown, sorted(changed, key=lambda entry: entry.seq)[: max(0, limit)]))

    async def vectors(self, space: str, model_id: str) -> tuple[StoredVector, ...]:
        """Every vector of living entries made by a model."""
        rows = self._open()
        return tuple(
            vector
            for (of_space, model, entry_id), vector in rows.vectors.items()
            if (of_space, model) == (space, model_id) and not rows.entries[entry_id].deleted_at
        )

    async def indexed_through(self, space: str, model_id: str) -> int:
        """How far a Space is indexed by a model; 0 at first."""
        return self._open().through.get((space, model_id), 0)

    async def space_seq(self, space: str) -> int:
        """The place of the latest commit of a Space; 0 before the first."""
        return self._open().seqs.get(space, 0)
