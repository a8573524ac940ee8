"""The default vector index: every vector of a Space in one matrix, compared one by one, exactly (MEM-002 §2.2)."""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from csbond.protocol.errors import LocalProtocolError

Floats: TypeAlias = npt.NDArray[np.float32]
Rows: TypeAlias = npt.NDArray[np.intp]

_FIRST_ROWS = 64
_GATHER_SHARE = 0.1
"""Up to this share of a Space, comparing the allowed rows alone is cheaper than comparing all of them."""
_LOOK_AHEAD = 8
"""How many times the limit is looked at for allowed ones, before all allowed ones are looked up."""


class ExactIndex:
    """Nearest neighbours by cosine among vectors of length one; linear in their number, about 0.2 µs each.

    `search` may run in another thread than `put` and `drop`: it sees each vector whole, or not at all while it changes.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._spaces: dict[str, _Matrix] = {}

    def put(self, space: str, entry_id: str, vector: bytes) -> None:
        """Add or replace a vector; `invalid_params` when it has other dimensions or is not all numbers."""
        row = self._read(vector)
        matrix = self._spaces.get(space) or _Matrix(self._dimension)
        matrix.put(entry_id, row)
        self._spaces[space] = matrix.compacted() if matrix.sparse else matrix

    def drop(self, space: str, entry_id: str) -> None:
        """Forget a vector and overwrite its numbers; one that is not there is no error."""
        matrix = self._spaces.get(space)
        if matrix is None:
            return
        matrix.drop(entry_id)
        if not matrix:
            del self._spaces[space]
        elif matrix.sparse:
            self._spaces[space] = matrix.compacted()

    def search(
        self, space: str, query: bytes, limit: int, allowed: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """(entry id, cosine) of the nearest, best first, equal ones by id, among the allowed ones or all.

        `invalid_params` when the query has other dimensions or is not all numbers.
        """
        row = self._read(query)
        matrix = self._spaces.get(space)
        return matrix.nearest(row, limit, allowed) if matrix is not None and limit > 0 else []

    def count(self, space: str) -> int:
        """How many vectors a Space has."""
        return len(self._spaces.get(space, ()))

    def _read(self, vector: bytes) -> Floats:
        if len(vector) != self._dimension * 4:
            reason = f"a vector of {len(vector)} bytes where {self._dimension} numbers of 4 bytes belong"
            raise LocalProtocolError("invalid_params", reason, field="embedding")
        row = np.frombuffer(vector, dtype="<f4").astype(np.float32, copy=False)
        if not np.isfinite(row).all():
            raise LocalProtocolError("invalid_params", "a vector holds infinity or no number", field="embedding")
        return row


class _Matrix:
    """The vectors of one Space, a row each.

    A row is written before its id appears and never gets another id, so a search needs no lock. Rows given up
    are overwritten with zeros, and go when there are more of them than of rows in use.
    """

    def __init__(self, dimension: int, rows: int = _FIRST_ROWS) -> None:
        self._rows: Floats = np.zeros((rows, dimension), dtype=np.float32)
        self._used = np.zeros(rows, dtype=np.bool_)
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def sparse(self) -> bool:
        return len(self._ids) > max(_FIRST_ROWS, 2 * len(self._row_of))

    def put(self, entry_id: str, vector: Floats) -> None:
        at = len(self._ids)
        if at == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._used = np.concatenate([self._used, np.zeros_like(self._used)])
        self.drop(entry_id)
        self._rows[at] = vector
        self._used[at] = True
        self._ids.append(entry_id)
        self._row_of[entry_id] = at

    def drop(self, entry_id: str) -> None:
        row = self._row_of.pop(entry_id, None)
        if row is not None:
            self._used[row] = False
            self._rows[row] = 0.0

    def compacted(self) -> _Matrix:
        fresh = _Matrix(self._rows.shape[1], max(_FIRST_ROWS, 2 * len(self)))
        fresh._ids = list(self._row_of)
        fresh._rows[: len(self)] = self._rows[list(self._row_of.values())]
        fresh._used[: len(self)] = True
        fresh._row_of = {entry_id: row for row, entry_id in enumerate(fresh._ids)}
        return fresh

    def nearest(self, query: Floats, limit: int, allowed: Collection[str] | None) -> list[tuple[str, float]]:
        count = len(self._ids)
        rows = self._rows[:count]
        members = allowed if allowed is None or isinstance(allowed, Set) else frozenset(allowed)
        if members is not None and len(members) <= _GATHER_SHARE * count:
            chosen = self._places(members, count)
            return self._ranked(chosen, _cosines(rows[chosen], query), limit)
        scores = _cosines(rows, query)
        scores[~self._used[:count]] = -np.inf
        if members is None:
            return self._ranked(np.arange(count), scores, min(limit, len(self)))
        ahead = self._ranked(np.arange(count), scores, min(_LOOK_AHEAD * limit, len(self)))
        found = [hit for hit in ahead if hit[0] in members][:limit]
        if len(found) == limit:
            return found
        chosen = self._places(members, count)
        return self._ranked(chosen, scores[chosen], limit)

    def _places(self, members: Set[str], count: int) -> Rows:
        places = [row for row in map(self._row_of.get, members) if row is not None and row < count]
        return np.asarray(places, dtype=np.intp)

    def _ranked(self, rows: Rows, scores: Floats, limit: int) -> list[tuple[str, float]]:
        best = _best(scores, limit)
        found = [(self._ids[row], float(score)) for row, score in zip(rows[best], scores[best], strict=True)]
        found = [hit for hit in found if hit[1] != -np.inf]
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
