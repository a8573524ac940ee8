"""Vector rows, and how far a Space is indexed by a model."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from csbond.flows.ports import FiledVector, ModelVectors, StoredVector
from csbond.protocol.memory.entry import Level, Origin, Visibility
from csbond.protocol.memory.facets import Facets
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.sqlite.transaction import Transaction
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.writing import Row

DROPPING = -1
"""How far a Space is indexed by a model whose vectors are being dropped."""


class VectorRows:
    """The vector side of the ledger."""

    _database: Database

    async def save_vectors(
        self, space: str, model_id: str, vectors: Sequence[StoredVector], through: int, gone: Sequence[str] = ()
    ) -> None:
        """Keep vectors, drop those of the entries that are named as gone, and keep how far the Space is indexed.

        All in one transaction.
        """
        rows, ids = tuple(vectors), to_json(list(gone))

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
            if gone:
                transaction.run("drop_vectors_of", {"space": space, "model_id": model_id, "ids": ids})
            transaction.run("save_progress", {"space": space, "model_id": model_id, "through": through})
            return through

        await self._database.writer.write(apply)

    async def vectors(self, space: str, model_id: str, after: int, limit: int) -> tuple[FiledVector, ...]:
        """The next vectors of living entries made by a model, from a place on; -1 is before the first."""
        return await self._database.scan_long(_vectors, space, model_id, after, limit)

    async def vectors_of(self, space: str, model_id: str, ids: Sequence[str]) -> dict[str, StoredVector]:
        """Those of the entries that have a vector of a model, softly deleted ones too."""
        bindings = {"space": space, "model_id": model_id, "ids": to_json(list(ids))}
        return {row[0]: StoredVector(*row) for row in self._database.reader.rows("vectors_of", bindings)}

    async def drop_vectors(self, space: str, model_id: str, limit: int) -> bool:
        """Drop vectors of a model; True while there are more.

        Until the last one is gone the model counts as indexed through -1, then as never used.
        """
        bindings = {"space": space, "model_id": model_id}

        def apply(transaction: Transaction) -> int:
            transaction.run("save_progress", bindings | {"through": DROPPING})
            transaction.run("drop_vectors", bindings | {"limit": max(0, limit)})
            more = bool(transaction.run("any_vector", bindings))
            if not more:
                transaction.run("drop_progress", bindings)
            return int(more)

        return bool(await self._database.writer.write(apply))

    async def models(self, space: str) -> tuple[ModelVectors, ...]:
        """Every model that a Space has been indexed by, by its name."""
        return await self._database.scan_long(_models, space)

    async def indexed_through(self, space: str, model_id: str) -> int:
        """How far a Space is indexed by a model; 0 at first, -1 while its vectors are being dropped."""
        row = self._database.reader.row("indexed_through", {"space": space, "model_id": model_id})
        return row[0] if row else 0

    async def space_seq(self, space: str) -> int:
        """The place of the latest commit of a Space; 0 before the first."""
        row = self._database.reader.row("space_seq", {"space": space})
        return row[0] if row else 0


def _vectors(reader: Reader, space: str, model_id: str, after: int, limit: int) -> tuple[FiledVector, ...]:
    bindings = {"space": space, "model_id": model_id, "after": after, "limit": max(0, limit)}
    return tuple(map(_filed, reader.rows("vectors", bindings)))


def _filed(row: Row) -> FiledVector:
    place, entry_id, space, seq, vector, *asked = row
    type_, timestamp, source, level, visibility, caller_key, thread_id, project = asked
    origin = Origin(caller_key, thread_id)
    facets = Facets(type_, timestamp, source, Level(level), Visibility(visibility), origin, project)
    return FiledVector(StoredVector(entry_id, space, seq, vector), facets, place)


def _models(reader: Reader, space: str) -> tuple[ModelVectors, ...]:
    return tuple(itertools.starmap(ModelVectors, reader.rows("models", {"space": space})))
