"""What the ledger answers about what came from elsewhere: names of records, vectors of other models, and maps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from csbond.protocol.memory.foreign_record import ForeignName
from csbond.protocol.memory.vector_map import ForeignModel, VectorMap


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """Which memory a record became."""

    entry_id: str
    digest: str
    """Of the record as it came last."""
    linked: bool
    """Whether all its links were set."""


class ExchangeLedger(Protocol):
    """The side of imports and exports."""

    async def foreign_names(self, space: str, names: Collection[ForeignName]) -> dict[ForeignName, NamedRecord]:
        """Those of the names whose records were imported, and whose memories were not erased since."""
        ...

    async def foreign_models(self) -> tuple[ForeignModel, ...]:
        """The models of which vectors are kept apart, by fingerprint."""
        ...

    async def foreign_vectors(
        self, space: str, fingerprint: str, after_id: str, limit: int
    ) -> tuple[tuple[str, bytes], ...]:
        """(id, vector) of living memories that still say what the vector was made of, by id, after an id."""
        ...

    async def vector_maps(self) -> tuple[VectorMap, ...]:
        """The maps that are kept, the latest first."""
        ...
