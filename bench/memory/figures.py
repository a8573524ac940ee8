"""What was measured, as rows that go into tables and JSON, and the ratios made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from bench.transport.figures import Spread, percentile

__all__ = ["Figures", "Footprint", "Row", "Sample"]

Column = Literal["per_second", "p50_ms"]


@dataclass(frozen=True, slots=True)
class Row:
    """What was done, by which store, and how many entries were there when the rounds began."""

    what: str
    store: str
    entries: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One stretch of one row in one round."""

    row: Row
    round: int
    calls_ms: tuple[float, ...]
    per_second: float
    right: float | None = None
    """The share of the questions whose document was among what was found."""

    @property
    def p50_ms(self) -> float:
        """The median of the calls."""
        return median(self.calls_ms)


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a node with so many entries takes; the sizes are those of an entry, beyond what an empty node takes."""

    entries: int
    resident_bytes: float
    disk_bytes: float
    index_bytes: int
    """Of the vector alone: part of the resident."""


@dataclass(slots=True)
class Figures:
    """Everything of one run."""

    samples: list[Sample] = field(default_factory=list)
    footprints: list[Footprint] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    """Of each store that was measured."""
    absent: dict[str, str] = field(default_factory=dict)
    """Why a store was left out."""

    def rows(self) -> list[Row]:
        """Every row that was measured, in the order of its first sample."""
        return list(dict.fromkeys(sample.row for sample in self.samples))

    def of(self, row: Row) -> list[Sample]:
        """The samples of a row, round by round."""
        return [sample for sample in self.samples if sample.row == row]

    def median(self, row: Row, column: Column) -> float:
        """The median of the rounds."""
        value: float = median(getattr(sample, column) for sample in self.of(row))
        return value

    def p99_ms(self, row: Row) -> float:
        """Of all calls of all rounds together."""
        return percentile([call for sample in self.of(row) for call in sample.calls_ms], 0.99)

    def ratio(self, row: Row, other: Row, column: Column) -> Spread | None:
        """Row ÷ other, round by round; None where one of the two was not measured."""
        pairs = zip(self.of(row), self.of(other), strict=False)
        values = [getattr(one, column) / getattr(two, column) for one, two in pairs]
        return Spread.of(values) if values else None

    def right(self, row: Row) -> float | None:
        """The share of questions whose document was found, in all rounds; None where nothing was asked."""
        shares: Iterable[float] = [sample.right for sample in self.of(row) if sample.right is not None]
        known = list(shares)
        return sum(known) / len(known) if known else None
