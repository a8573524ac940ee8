"""The vectors of one Space in a matrix, a row each, with the columns that a filter asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from csbond.engines.facet_columns import FacetColumns, Mask, Rows
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import Wanted

Floats: TypeAlias = npt.NDArray[np.float32]

_FIRST_ROWS = 64
_GATHER_SHARE = 0.2
"""Up to this share of a Space, comparing the wanted rows alone is cheaper than comparing all of them."""


class VectorRows:
    """Rows are added and given up by one thread, while another may search.

    A row is written before its id appears and never gets another id, so a search needs no lock. Rows given up
    are overwritten with zeros, and go when there are more of them than of rows in use.
    """

    def __init__(self, dimension: int, rows: int = _FIRST_ROWS) -> None:
        self._vectors: Floats = np.zeros((rows, dimension), dtype=np.float32)
        self._used = np.zeros(rows, dtype=np.bool_)
        self._columns = FacetColumns(rows)
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def height(self) -> int:
        """How many rows there are, those given up included."""
        return len(self._ids)

    @property
    def sparse(self) -> bool:
        """Whether more rows are given up than in use."""
        return len(self._ids) > max(_FIRST_ROWS, 2 * len(self._row_of))

    def put(self, entry_id: str, vector: Floats, facets: Facets) -> None:
        """Give an entry a row, and the row it had up."""
        at = len(self._ids)
        if at == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
            self._used = np.concatenate([self._used, np.zeros_like(self._used)])
            self._columns.grow()
        self.drop(entry_id)
        self._vectors[at] = vector
        self._columns.write(at, facets)
        self._used[at] = True
        self._ids.append(entry_id)
        self._row_of[entry_id] = at

    def refile(self, entry_id: str, facets: Facets) -> bool:
        """Write what is asked of an entry anew; False when it has no row."""
        row = self._row_of.get(entry_id)
        if row is None:
            return False
        self._columns.write(row, facets)
        return True

    def drop(self, entry_id: str) -> None:
        """Give the row of an entry up, if it has one."""
        row = self._row_of.pop(entry_id, None)
        if row is not None:
            self._used[row] = False
            self._vectors[row] = 0.0

    def compacted(self) -> VectorRows:
        """The same without the rows given up."""
        fresh = VectorRows(self._vectors.shape[1], max(_FIRST_ROWS, 2 * len(self)))
        kept = np.fromiter(self._row_of.values(), dtype=np.intp, count=len(self))
        fresh._ids = list(self._row_of)
        fresh._vectors[: len(self)] = self._vectors[kept]
        fresh._columns.fill(self._columns, kept)
        fresh._used[: len(self)] = True
        fresh._row_of = {entry_id: row for row, entry_id in enumerate(fresh._ids)}
        return fresh

    def first(self, count: int) -> Floats:
        """The vectors of the first rows; those given up are zeros."""
        return self._vectors[:count]

    def nearest(self, query: Floats, limit: int, wanted: Wanted) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest wanted ones, best first, equal ones by id."""
        count = len(self._ids)
        if wanted.ids is not None and len(wanted.ids) <= _GATHER_SHARE * count:
            return self.ranked(self._standing(wanted, count), query, limit)
        mask = self.mask(wanted, count)
        kept = int(np.count_nonzero(mask))
        if kept <= _GATHER_SHARE * count:
            return self.ranked(np.flatnonzero(mask), query, limit)
        scores = _cosines(self._vectors[:count], query)
        scores[~mask] = -np.inf
        best = _best(scores, min(limit, kept))
        return self._named(best, scores[best])

    def ranked(self, rows: Rows, query: Floats, limit: int) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest among some rows, compared one by one."""
        scores = _cosines(self._vectors.take(rows, axis=0), query)
        best = _best(scores, limit)
        return self._named(rows[best], scores[best])

    def mask(self, wanted: Wanted, count: int) -> Mask:
        """Which of the first rows are wanted and in use."""
        mask = self._columns.mask(wanted.filter, wanted.audience, count)
        used = self._used[:count]
        mask = used.copy() if mask is None else mask & used
        if wanted.ids is not None:
            members = np.zeros(count, dtype=np.bool_)
            members[self._places(wanted.ids, count)] = True
            mask &= members
        return mask

    def _standing(self, wanted: Wanted, count: int) -> Rows:
        """The rows of the wanted ids that the filter lets in."""
        rows = self._places(wanted.ids or (), count)
        mask = self._columns.mask(wanted.filter, wanted.audience, count)
        return rows if mask is None else rows[mask[rows]]

    def _places(self, ids: Iterable[str], count: int) -> Rows:
        places = [row for row in map(self._row_of.get, ids) if row is not None and row < count]
        return np.asarray(places, dtype=np.intp)

    def _named(self, rows: Rows, scores: Floats) -> list[tuple[str, float]]:
        found = [(self._ids[row], float(score)) for row, score in zip(rows, scores, strict=True)]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))


def _cosines(rows: Floats, query: Floats) -> Floats:
    """The scalar products: by `einsum`, since the threads of `@` stall for milliseconds on a busy machine."""
    scores: Floats = np.einsum("ij,j->i", rows, query)
    return scores


def _best(scores: Floats, limit: int) -> Rows:
    """Where the best scores stand, in no order; among equal ones at the edge the first."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    above: Rows = np.flatnonzero(scores > edge)
    return np.concatenate([above, np.flatnonzero(scores == edge)[: limit - len(above)]])
