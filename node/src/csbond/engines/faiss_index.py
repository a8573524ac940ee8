"""The index of large memories (extra `faiss`): looks in the right places, then compares exactly (MEM-002 §2.2).

The matrix of the exact index stays what is compared. Over it lies an inverted index of its rows, each number of a
vector in a byte, that says which rows are worth comparing. Rows added since it was built are compared as well, rows
given up since are left out, so what was written is found at once and what was dropped never.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from csbond.engines.exact_index import ExactIndex
from csbond.engines.facet_columns import Mask, Rows
from csbond.engines.index_choice import Comparing
from csbond.engines.vector_rows import Floats, VectorRows
from csbond.flows.ports import IndexState
from csbond.protocol.memory.filter import Wanted

PLACES = 32
"""Lists that are looked in, of about the square root of the rows."""
PLACES_FILTERED = 64
"""Lists when a filter leaves fewer rows in each."""
EXACT_ROWS = 5_000
"""As many wanted rows are compared one by one: that takes about a millisecond and misses nothing."""
STALE_SHARE = 0.2
"""Share of the rows that may have come or gone before the inverted index is built again."""
_TRAINED_ON, _ROUNDS = 39, 6
"""Rows a list is found by, and rounds in which it is found: more make building slower and searching no better."""


@cache
def _faiss() -> Any:
    """The library, loaded when there is something to build: it takes a moment, and says so in the log."""
    return importlib.import_module("faiss")


@dataclass(frozen=True, slots=True)
class _Built:
    """An inverted index over the first rows of a matrix, and how many of them were in use."""

    rows: VectorRows
    height: int
    used: int
    lists: Any

    def changed(self) -> int:
        """How many rows have come or gone since."""
        added = self.rows.height - self.height
        return added + max(0, self.used + added - len(self.rows))

    def candidates(self, query: Floats, count: int, mask: Mask, *, narrowed: bool) -> Rows:
        """The rows, of those it was built over, that are most likely the nearest wanted ones."""
        _faiss().omp_set_num_threads(1)
        if narrowed:
            selector = _faiss().IDSelectorBitmap(np.packbits(mask[: self.height], bitorder="little"))
            parameters = _faiss().SearchParametersIVF(nprobe=PLACES_FILTERED, sel=selector)
        else:
            parameters = _faiss().SearchParametersIVF(nprobe=PLACES)
        _, found = self.lists.search(query.reshape(1, -1), count, params=parameters)
        rows: Rows = found[0][found[0] >= 0].astype(np.intp)
        return rows[mask[rows]]


class FaissIndex(ExactIndex):
    """Nearest neighbours among more than the switch's number of vectors; below that, and while it is built, exact."""

    def __init__(self, dimension: int = 0, comparing: Comparing | None = None) -> None:
        super().__init__(dimension, comparing or Comparing(faiss_there=True))
        self._built: dict[str, _Built] = {}

    def begin(self, dimension: int) -> None:
        """Forget everything and take vectors of so many numbers."""
        super().begin(dimension)
        self._built = {}

    def unsettled(self, space: str) -> bool:
        """Whether the inverted index is missing, out of date, or no longer worth keeping."""
        built = self._of(space)
        if self._comparing.at(self.count(space)).kind == "exact":
            return space in self._built
        return built is None or built.changed() > STALE_SHARE * built.height

    def settle(self, space: str) -> None:
        """Build the inverted index; a few seconds for 100,000 vectors."""
        rows = self._spaces.get(space)
        if rows is None or self._comparing.at(len(rows)).kind == "exact":
            self._built.pop(space, None)
            return
        used, height = len(rows), rows.height
        self._built[space] = _Built(rows, height, used, _inverted(rows.first(height)))

    def state(self, space: str) -> IndexState:
        """FAISS once it is built."""
        wanted = self._comparing.at(self.count(space))
        if wanted.kind == "faiss" and self._of(space) is None:
            return IndexState("exact", "the FAISS index is being built; until then vectors are compared one by one")
        return wanted

    def _of(self, space: str) -> _Built | None:
        """The inverted index of a Space, unless it is over rows that have moved."""
        built = self._built.get(space)
        return built if built is not None and built.rows is self._spaces.get(space) else None

    def _nearest(
        self, space: str, rows: VectorRows, query: Floats, limit: int, wanted: Wanted
    ) -> list[tuple[str, float]]:
        built = self._built.get(space)
        if built is None or built.rows is not rows:
            return rows.nearest(query, limit, wanted)
        return self._rescored(built, query, limit, wanted)

    def _rescored(self, built: _Built, query: Floats, limit: int, wanted: Wanted) -> list[tuple[str, float]]:
        """The best of what the inverted index and the rows after it hold, by their exact cosines."""
        rows, count = built.rows, built.rows.height
        mask = rows.mask(wanted, count)
        kept = int(np.count_nonzero(mask))
        if kept <= EXACT_ROWS:
            return rows.ranked(np.flatnonzero(mask), query, limit)
        likely = built.candidates(query, max(100, 10 * limit), mask, narrowed=kept < len(rows))
        fresh = np.flatnonzero(mask[built.height :]) + built.height
        found = rows.ranked(np.concatenate([likely, fresh]), query, limit)
        return found if len(found) == limit else rows.nearest(query, limit, wanted)


def _inverted(vectors: Floats) -> Any:
    _faiss().omp_set_num_threads(1)
    lists = max(1, round(math.sqrt(len(vectors))))
    index = _faiss().index_factory(vectors.shape[1], f"IVF{lists},SQ8", _faiss().METRIC_INNER_PRODUCT)
    index.cp.max_points_per_centroid, index.cp.niter = _TRAINED_ON, _ROUNDS
    index.train(vectors)
    index.add(vectors)
    return index
