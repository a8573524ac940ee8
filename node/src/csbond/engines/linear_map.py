"""A linear map between two models' spaces, from texts both have embedded (CSB v1.0 §1.2.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from csbond.protocol.errors import Refused
from csbond.protocol.memory.vector_map import FittedMap
from csbond.protocol.memory.vectors import BYTES_PER_NUMBER

Floats: TypeAlias = npt.NDArray[np.float64]

RIDGE = 1e-2
"""How strongly small directions are held down, as a share of the mean length of one: few texts fill no space."""
BOUND = 0.5
"""The least mean cosine, on texts the map was not fitted to, with which it is of any use."""
TEXTS_MIN = 50
"""Texts that are needed at least; a quarter of the dimension where that is more."""
_HELD_OUT = 5
"""Every so many texts one is not fitted to, and tells how good the map is."""


class LinearMaps:
    """Fits maps beside the event loop."""

    async def fit(self, source: Sequence[bytes], target: Sequence[bytes]) -> FittedMap:
        """The map from vectors to others of the same texts; `vector_map_refused` where it is not good enough."""
        return await asyncio.to_thread(fitted, source, target)


def fitted(source: Sequence[bytes], target: Sequence[bytes], ridge: float = RIDGE, bound: float = BOUND) -> FittedMap:
    """The map, with its error on every fifth text, which it was not fitted to.

    `vector_map_refused` for too few texts, for vectors that are no numbers, and for a map that is worse than its bound.
    """
    dimension = len(source[0]) // BYTES_PER_NUMBER if source else 0
    needed = max(TEXTS_MIN, dimension // 4)
    if len(source) < needed:
        raise _refused(f"texts of which both models have a vector: {len(source)}; {needed} are needed")
    x, y = _rows(source), _rows(target)
    held = np.arange(len(x)) % _HELD_OUT == _HELD_OUT - 1
    matrix = _solved(x[~held], y[~held], ridge)
    alike = float(np.mean(np.sum(_of_length_one(x[held] @ matrix) * y[held], axis=1)))
    if not alike >= bound:
        raise _refused(f"on texts it was not fitted to its mean cosine is {alike:.3f}, below {bound:g}")
    return FittedMap(matrix.astype("<f4").tobytes(), x.shape[1], y.shape[1], len(x), 1 - alike)


def _solved(x: Floats, y: Floats, ridge: float) -> Floats:
    gram = x.T @ x
    held_down = ridge * np.trace(gram) / len(gram) * np.eye(len(gram))
    return np.linalg.solve(gram + held_down, x.T @ y)


def _rows(vectors: Sequence[bytes]) -> Floats:
    if len({len(vector) for vector in vectors}) > 1:
        raise _refused("the vectors of one model have several dimensions")
    rows = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1).astype(np.float64)
    if not np.isfinite(rows).all():
        raise _refused("the vectors hold what is no finite number")
    return _of_length_one(rows)


def _of_length_one(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def _refused(reason: str) -> Refused:
    return Refused(
        "vector_map_refused",
        reason,
        next_step="import more memories with vectors of that model, and let this node index them",
    )
