"""What came from elsewhere, in the in-memory ledger: names of records, vectors of other models, and maps."""

from __future__ import annotations

from collections.abc import Collection

from csbond.flows.exchange_ledger import NamedRecord
from csbond.flows.memory_changes import KeepForeignVector, PutForeignName, PutVectorMap
from csbond.protocol.memory.foreign_record import ForeignName, ForeignVector
from csbond.protocol.memory.vector_map import ForeignModel, VectorMap
from csbond.testing.memory_rows import Rows
from csbond.testing.open_rows import OpenRows


class ExchangeReads(OpenRows):
    """The side of the ledger that tells of imports."""

    async def foreign_names(self, space: str, names: Collection[ForeignName]) -> dict[ForeignName, NamedRecord]:
        """Those of the names whose records were imported, and whose memories were not erased since."""
        kept = self._open().foreign_names
        return {name: kept[space, name] for name in names if (space, name) in kept}

    async def foreign_models(self) -> tuple[ForeignModel, ...]:
        """The models of which vectors are kept apart, by fingerprint."""
        of_model: dict[str, list[ForeignVector]] = {}
        for (_, fingerprint), (vector, _) in self._open().foreign_vectors.items():
            of_model.setdefault(fingerprint, []).append(vector)
        return tuple(
            ForeignModel(each, min(v.model for v in vectors), min(v.dimension for v in vectors), len(vectors))
            for each, vectors in sorted(of_model.items())
        )

    async def foreign_vectors(
        self, space: str, fingerprint: str, after_id: str, limit: int
    ) -> tuple[tuple[str, bytes], ...]:
        """(id, vector) of living memories that still say what the vector was made of, by id, after an id."""
        rows = self._open()
        found = [
            (entry.id, vector.numbers)
            for (entry_id, of_model), (vector, seq) in sorted(rows.foreign_vectors.items())
            if of_model == fingerprint and entry_id > after_id
            for entry in (rows.entries[entry_id],)
            if entry.space == space and not entry.deleted_at and seq >= entry.text_seq
        ]
        return tuple(found[: max(0, limit)])

    async def vector_maps(self) -> tuple[VectorMap, ...]:
        """The maps that are kept, the latest first."""
        kept = self._open().vector_maps.values()
        return tuple(sorted(kept, key=lambda each: (-each.made_at, each.from_fingerprint, each.to_model)))


def put_foreign_name(rows: Rows, write: PutForeignName, _: int) -> None:
    """Keep which memory a record became."""
    if write.entry_id in rows.entries:
        named = NamedRecord(write.entry_id, write.digest, write.linked)
        rows.put(rows.foreign_names, (write.space, write.name), named)


def keep_foreign_vector(rows: Rows, write: KeepForeignVector, seq: int) -> None:
    """Keep a vector beside a memory."""
    if write.entry_id in rows.entries:
        rows.put(rows.foreign_vectors, (write.entry_id, write.vector.fingerprint), (write.vector, seq))


def put_vector_map(rows: Rows, write: PutVectorMap, _: int) -> None:
    """Keep a map in place of the one before."""
    rows.put(rows.vector_maps, (write.map.from_fingerprint, write.map.to_model), write.map)


def drop_foreign(rows: Rows, entry_id: str) -> None:
    """Keep nothing of what came with an entry that is erased."""
    for name in [name for name, named in rows.foreign_names.items() if named.entry_id == entry_id]:
        rows.drop(rows.foreign_names, name)
    for key in [key for key in rows.foreign_vectors if key[0] == entry_id]:
        rows.drop(rows.foreign_vectors, key)
