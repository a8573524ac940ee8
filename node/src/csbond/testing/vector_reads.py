"""Vector rows, how far a Space is indexed by a model, and what is to be indexed."""

from __future__ import annotations

from collections.abc import Sequence

from csbond.flows.ports import FiledVector, ModelVectors, StoredVector
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.facets import facets_of
from csbond.testing.open_rows import OpenRows


class VectorReads(OpenRows):
    """The vector side of the ledger."""

    async def entries_after(self, space: str, seq: int, limit: int) -> tuple[MemoryEntry, ...]:
        """Entries changed after a place in the order, softly deleted ones too, oldest change first."""
        rows = self._open()
        changed = [entry for entry in rows.entries.values() if entry.space == space and entry.seq > seq]
        return tuple(map(rows.shown, sorted(changed, key=lambda entry: entry.seq)[: max(0, limit)]))

    async def vectors(self, space: str, model_id: str, after: int, limit: int) -> tuple[FiledVector, ...]:
        """The next vectors of living entries made by a model, from a place on; -1 is before the first."""
        rows = self._open()
        filed = [
            FiledVector(rows.vectors[space, model_id, entry.id], facets_of(entry), place)
            for place, entry in enumerate(rows.entries.values())
            if place > after and not entry.deleted_at and (space, model_id, entry.id) in rows.vectors
        ]
        return tuple(filed[: max(0, limit)])

    async def vectors_of(self, space: str, model_id: str, ids: Sequence[str]) -> dict[str, StoredVector]:
        """Those of the entries that have a vector of a model, softly deleted ones too."""
        vectors = self._open().vectors
        return {id_: vectors[space, model_id, id_] for id_ in ids if (space, model_id, id_) in vectors}

    async def models(self, space: str) -> tuple[ModelVectors, ...]:
        """Every model that a Space has been indexed by, by its name."""
        rows = self._open()
        told = []
        for of_space, model_id in sorted(rows.through):
            if of_space == space:
                made = [vector for key, vector in rows.vectors.items() if key[:2] == (space, model_id)]
                size = len(made[0].vector) // 4 if made else 0
                told.append(ModelVectors(model_id, size, len(made), rows.through[space, model_id]))
        return tuple(told)

    async def indexed_through(self, space: str, model_id: str) -> int:
        """How far a Space is indexed by a model; 0 at first, -1 while its vectors are being dropped."""
        return self._open().through.get((space, model_id), 0)

    async def space_seq(self, space: str) -> int:
        """The place of the latest commit of a Space; 0 before the first."""
        return self._open().seqs.get(space, 0)
