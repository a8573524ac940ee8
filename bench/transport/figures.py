"""What was measured, as rows that go into tables and JSON, and the numbers made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.transport.servers import Kind


@dataclass(frozen=True, slots=True)
class Sample:
    """One stretch of load on one server in one round."""

    server: Kind
    round: int
    concurrency: int
    answers: int
    per_second: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class StreamSample:
    """Streamed answers of one server in one round, one after the other: medians."""

    server: Kind
    round: int
    chunks: int
    first_event_ms: float
    whole_ms: float


@dataclass(frozen=True, slots=True)
class Writing:
    """What the database wrote for streamed answers of one length; everything of the task included."""

    server: Kind
    chunks: int
    calls_per_chunk: float
    bytes_per_chunk: float
    rows_per_chunk: float | None
    """Rows of the node's table of chunks; the peer has no such table."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a server costs without work, and after it."""

    server: Kind
    start_s: float
    """From spawning the process to the first answer of /health."""
    idle_mib: float
    idle_children_mib: float
    """Resident memory of the processes it started: the node's embedder."""
    loaded_mib: float
    loaded_children_mib: float
    answers: int
    """How many answers lie between idle and loaded."""


@dataclass(frozen=True, slots=True)
class Following:
    """How the vectors followed one stretch of load on the node."""

    lag: int
    """Entries without a vector when the load ended, which is when there are most."""
    seconds: float
    """From then until every entry had its vector."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the node has at its end; every number counts the whole of the run."""

    answers: int
    tasks: int
    entries: int
    vectors: int
    records: int
    space_seq: int
    indexed_through: int
    semantic: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """A ratio: its median over the rounds, and its extremes."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of at least one value."""
        known = sorted(values)
        return cls(median(known), known[0], known[-1])


@dataclass(slots=True)
class Figures:
    """Everything of one run."""

    samples: list[Sample] = field(default_factory=list)
    streams: list[StreamSample] = field(default_factory=list)
    writings: list[Writing] = field(default_factory=list)
    footprints: list[Footprint] = field(default_factory=list)
    followings: list[Following] = field(default_factory=list)
    kept: Kept | None = None

    def ratio(self, name: str, concurrency: int, peer: Kind) -> Spread:
        """Node ÷ peer of one column of the samples, round by round."""
        ours = self._column(name, concurrency, Kind.NODE)
        theirs = self._column(name, concurrency, peer)
        return Spread.of(one / other for one, other in zip(ours, theirs, strict=True))

    def _column(self, name: str, concurrency: int, server: Kind) -> list[float]:
        return [
            getattr(sample, name)
            for sample in self.samples
            if sample.server is server and sample.concurrency == concurrency
        ]

    def stream_ratio(self, peer: Kind) -> Spread:
        """Node ÷ peer of the time of a streamed answer, round by round."""
        ours = [stream.whole_ms for stream in self.streams if stream.server is Kind.NODE]
        theirs = [stream.whole_ms for stream in self.streams if stream.server is peer]
        return Spread.of(one / other for one, other in zip(ours, theirs, strict=True))

    def writing(self, chunks: int) -> Writing:
        """What the node wrote for answers of one length."""
        return next(each for each in self.writings if each.server is Kind.NODE and each.chunks == chunks)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    known = sorted(values)
    return known[min(len(known) - 1, int(len(known) * share))]
