"""Vector rows, and how far a Space is indexed by a model."""

from __future__ import annotations

from collections.abc import Sequence

from csbond.flows.ports import StoredVector
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.sqlite.transaction import Transaction


class VectorRows:
    """The vector side of the ledger."""

    _database: Database

    async def save_vectors(self, space: str, model_id: str, vectors: Sequence[StoredVector], through: int) -> None:
        """Keep vectors and how far the Space is indexed, in one transaction."""
        rows = tuple(vectors)

        def apply(transaction: Transaction) -> int:
            for vector in rows:
                transaction.run(
                    "save_vector",
                    {
                        "space": vector.space,
                        "model_id": model_id,
                        "entry_id": vector.entry_id,
                        "seq": vector.seq,
                        "vector": vector.vector,
                    },
                )
            transaction.run("save_progress", {"space": space, "model_id": model_id, "through": through})
            return through

        await self._database.writer.write(apply)

    async def vectors(self, space: str, model_id: str) -> tuple[StoredVector, ...]:
        """Every vector of living entries made by a model."""
        return await self._database.scan_long(_vectors, space, model_id)

    async def indexed_through(self, space: str, model_id: str) -> int:
        """How far a Space is indexed by a model; 0 at first."""
        row = self._database.reader.row("indexed_through", {"space": space, "model_id": model_id})
        return row[0] if row else 0

    async def space_seq(self, space: str) -> int:
        """The place of the latest commit of a Space; 0 before the first."""
        row = self._database.reader.row("space_seq", {"space": space})
        return row[0] if row else 0


def _vectors(reader: Reader, space: str, model_id: str) -> tuple[StoredVector, ...]:
    return tuple(StoredVector(*row) for row in reader.rows("vectors", {"space": space, "model_id": model_id}))
