"""What came from elsewhere, in the database: names of records, vectors of other models, and maps."""

from __future__ import annotations

from collections.abc import Collection

from csbond.flows.exchange_ledger import NamedRecord
from csbond.protocol.memory.foreign_record import ForeignName
from csbond.protocol.memory.vector_map import ForeignModel, VectorMap
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import to_json


class ExchangeReads:
    """The side of the ledger that tells of imports."""

    _database: Database

    async def foreign_names(self, space: str, names: Collection[ForeignName]) -> dict[ForeignName, NamedRecord]:
        """Those of the names whose records were imported, and whose memories were not erased since."""
        wanted = to_json([(name.agent, name.timestamp, name.key) for name in names])
        rows = self._database.reader.rows("foreign_names", {"space": space, "names": wanted})
        return {
            ForeignName(agent, key, timestamp): NamedRecord(entry_id, digest, bool(linked))
            for agent, timestamp, key, entry_id, digest, linked in rows
        }

    async def foreign_models(self) -> tuple[ForeignModel, ...]:
        """The models of which vectors are kept apart, by fingerprint."""
        return await self._database.scan_long(_models)

    async def foreign_vectors(
        self, space: str, fingerprint: str, after_id: str, limit: int
    ) -> tuple[tuple[str, bytes], ...]:
        """(id, vector) of living memories that still say what the vector was made of, by id, after an id."""
        return await self._database.scan_long(_vectors, space, fingerprint, after_id, limit)

    async def vector_maps(self) -> tuple[VectorMap, ...]:
        """The maps that are kept, the latest first."""
        return tuple(VectorMap(*row) for row in self._database.reader.rows("vector_maps"))


def _models(reader: Reader) -> tuple[ForeignModel, ...]:
    return tuple(ForeignModel(*row) for row in reader.rows("foreign_models"))


def _vectors(reader: Reader, space: str, fingerprint: str, after_id: str, limit: int) -> tuple[tuple[str, bytes], ...]:
    bindings = {"space": space, "fingerprint": fingerprint, "after_id": after_id, "limit": max(0, limit)}
    return tuple((id_, vector) for id_, vector in reader.rows("foreign_vectors", bindings))
