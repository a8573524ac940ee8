"""What is asked of entries beside their vectors, a column each: a filter is a comparison of columns."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from csbond.protocol.memory.entry import Visibility
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.visibility import Audience

Mask: TypeAlias = npt.NDArray[np.bool_]
Rows: TypeAlias = npt.NDArray[np.intp]

_COLUMNS = 7
_LEVEL, _TYPE, _SOURCE, _VISIBILITY, _CALLER, _THREAD, _PROJECT = range(_COLUMNS)
_NOBODY = -1
"""What a text is that no row holds."""
_INT64 = np.iinfo(np.int64)


class FacetColumns:
    """One row an entry: seven texts as numbers, and a time; it grows with the matrix of the vectors."""

    def __init__(self, rows: int) -> None:
        self._texts = [np.full(rows, _NOBODY, dtype=np.int32) for _ in range(_COLUMNS)]
        self._times = np.zeros(rows, dtype=np.int64)
        self._codes: dict[str, int] = {}

    def grow(self) -> None:
        """Make room for as many rows again."""
        self._texts = [np.concatenate([column, np.full_like(column, _NOBODY)]) for column in self._texts]
        self._times = np.concatenate([self._times, np.zeros_like(self._times)])

    def write(self, row: int, facets: Facets) -> None:
        """Set a row."""
        origin = facets.origin
        texts = (
            facets.level.value,
            facets.type,
            facets.source,
            facets.visibility.value,
            origin.caller_key,
            origin.thread_id,
            facets.project,
        )
        for column, text in zip(self._texts, texts, strict=True):
            column[row] = self._codes.setdefault(text, len(self._codes))
        self._times[row] = _within(facets.timestamp)

    def fill(self, other: FacetColumns, rows: Rows) -> None:
        """Begin with some rows of other columns."""
        self._codes = other._codes
        for column, before in zip(self._texts, other._texts, strict=True):
            column[: len(rows)] = before[rows]
        self._times[: len(rows)] = other._times[rows]

    def mask(self, wanted: EntryFilter, audience: Audience, count: int) -> Mask | None:
        """Which of the first rows `csbond.protocol.memory.filter.lets_in`; None when it is all of them."""
        conditions = [
            self._are(column, text, count)
            for column, text in (
                (_LEVEL, wanted.level.value if wanted.level else None),
                (_TYPE, wanted.type),
                (_SOURCE, wanted.source or None),
                (_PROJECT, wanted.project),
            )
            if text is not None
        ]
        if wanted.since is not None:
            conditions.append(self._times[:count] >= _within(wanted.since))
        if wanted.until is not None:
            conditions.append(self._times[:count] <= _within(wanted.until))
        if wanted.thread:
            conditions.append(self._are(_THREAD, wanted.thread, count))
        if not audience.everything:
            conditions.append(self._heard(audience, told_only=bool(wanted.thread), count=count))
        return np.logical_and.reduce(conditions) if conditions else None

    def _heard(self, audience: Audience, *, told_only: bool, count: int) -> Mask:
        told = self._are(_CALLER, audience.caller_key, count)
        if audience.thread_id:
            told &= self._are(_THREAD, audience.thread_id, count)
        if told_only:
            return told
        heard = told | self._are(_VISIBILITY, Visibility.PUBLIC.value, count)
        return heard | self._are(_VISIBILITY, Visibility.TRUSTED.value, count) if audience.trusted else heard

    def _are(self, column: int, text: str, count: int) -> Mask:
        same: Mask = self._texts[column][:count] == self._codes.get(text, _NOBODY - 1)
        return same


def _within(moment: int) -> int:
    return max(int(_INT64.min), min(int(_INT64.max), moment))
