"""The default vector index: every vector of a Space in one matrix, compared one by one, exactly (MEM-002 §2.2)."""

from __future__ import annotations

import numpy as np

from csbond.engines.index_choice import Comparing
from csbond.engines.vector_rows import Floats, VectorRows
from csbond.flows.ports import IndexState
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import Wanted


class ExactIndex:
    """Nearest neighbours by cosine among vectors of length one; linear in their number, about 0.2 µs each.

    `search` may run in another thread than `put` and `drop`: it sees each vector whole, or not at all while it changes.
    """

    def __init__(self, dimension: int = 0, comparing: Comparing | None = None) -> None:
        self._dimension = dimension
        self._comparing = comparing or Comparing()
        self._spaces: dict[str, VectorRows] = {}

    def begin(self, dimension: int) -> None:
        """Forget everything and take vectors of so many numbers."""
        self._dimension, self._spaces = dimension, {}

    def put(self, space: str, entry_id: str, vector: bytes, facets: Facets) -> None:
        """Add or replace a vector; `invalid_params` when it has other dimensions or is not all numbers."""
        row = self._read(vector)
        rows = self._spaces.get(space) or VectorRows(self._dimension)
        rows.put(entry_id, row, facets)
        self._spaces[space] = rows.compacted() if rows.sparse else rows

    def refile(self, space: str, entry_id: str, facets: Facets) -> bool:
        """Let an entry that changed keep its vector; False when it has none here."""
        rows = self._spaces.get(space)
        return rows is not None and rows.refile(entry_id, facets)

    def drop(self, space: str, entry_id: str) -> None:
        """Forget a vector and overwrite its numbers; one that is not there is no error."""
        rows = self._spaces.get(space)
        if rows is None:
            return
        rows.drop(entry_id)
        if not rows:
            del self._spaces[space]
        elif rows.sparse:
            self._spaces[space] = rows.compacted()

    def search(self, space: str, query: bytes, limit: int, wanted: Wanted | None = None) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest, best first, equal ones by id, among the wanted ones or all.

        `invalid_params` when the query has other dimensions or is not all numbers.
        """
        row = self._read(query)
        rows = self._spaces.get(space)
        return self._nearest(space, rows, row, limit, wanted or Wanted()) if rows is not None and limit > 0 else []

    def count(self, space: str) -> int:
        """How many vectors a Space has."""
        return len(self._spaces.get(space, ()))

    def unsettled(self, space: str) -> bool:
        """Never: a vector is found as soon as it is put."""
        return False

    def settle(self, space: str) -> None:
        """Nothing is left to do."""

    def state(self, space: str) -> IndexState:
        """Exact, with a note where another index would be faster and is not there."""
        return IndexState("exact", self._comparing.at(self.count(space)).note)

    def _nearest(
        self, space: str, rows: VectorRows, query: Floats, limit: int, wanted: Wanted
    ) -> list[tuple[str, float]]:
        return rows.nearest(query, limit, wanted)

    def _read(self, vector: bytes) -> Floats:
        if len(vector) != self._dimension * 4:
            reason = f"a vector of {len(vector)} bytes where {self._dimension} numbers of 4 bytes belong"
            raise LocalProtocolError("invalid_params", reason, field="embedding")
        row = np.frombuffer(vector, dtype="<f4").astype(np.float32, copy=False)
        if not np.isfinite(row).all():
            raise LocalProtocolError("invalid_params", "a vector holds infinity or no number", field="embedding")
        return row
