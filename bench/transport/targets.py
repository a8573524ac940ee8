"""What the node promises against its peer, in one run on one machine; a run that misses one ends with status 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.transport.figures import Figures, Spread
from bench.transport.measure import CONCURRENCY, STREAM_CHUNKS, WRITING_CHUNKS
from bench.transport.servers import Kind

LOADED = 8
"""Requests at once from which on throughput is judged: one client alone waits most of the time, and a median of a third
is no more than three times as many messages a second."""
DATABASE_THROUGHPUT = 5.0
"""At least, under load: times the messages a second of the library with its durable store."""
DATABASE_P50 = 1 / 3
"""At most: of the library's median latency with its durable store."""
MEMORY_THROUGHPUT = 0.6
"""At least, under load: of the messages a second of the library that keeps nothing."""
MEMORY_STREAM = 2.0
"""At most: times what the library that keeps nothing takes for a streamed answer."""
GROWTH = 1.25
"""At most: what is written for a chunk of a long answer, of what is written for one of a short answer."""


@dataclass(frozen=True, slots=True)
class Target:
    """One promise, and what was seen."""

    promise: str
    bound: str
    seen: Spread
    kept: bool


def targets(figures: Figures) -> Iterator[Target]:
    """Every promise that this run can judge, by the median of its rounds."""
    for concurrency in CONCURRENCY:
        at = f"{concurrency} at once"
        yield _at_most(
            f"p50 ÷ {Kind.DATABASE}, {at}", figures.ratio("p50_ms", concurrency, Kind.DATABASE), DATABASE_P50
        )
        if concurrency < LOADED:
            continue
        yield _at_least(
            f"throughput ÷ {Kind.DATABASE}, {at}",
            figures.ratio("per_second", concurrency, Kind.DATABASE),
            DATABASE_THROUGHPUT,
        )
        yield _at_least(
            f"throughput ÷ {Kind.MEMORY}, {at}",
            figures.ratio("per_second", concurrency, Kind.MEMORY),
            MEMORY_THROUGHPUT,
        )
    yield _at_most(f"time of {STREAM_CHUNKS} chunks ÷ {Kind.MEMORY}", figures.stream_ratio(Kind.MEMORY), MEMORY_STREAM)
    short, long = figures.writing(WRITING_CHUNKS[0]), figures.writing(WRITING_CHUNKS[-1])
    lengths = f"chunk of {long.chunks} ÷ of {short.chunks}"
    yield _at_most(f"bytes written, {lengths}", _one(long.bytes_per_chunk / short.bytes_per_chunk), GROWTH)
    yield _at_most(f"calls of write, {lengths}", _one(long.calls_per_chunk / short.calls_per_chunk), GROWTH)
    rows = max(abs(each.rows_per_chunk - 1) for each in figures.writings if each.rows_per_chunk is not None)
    yield _at_most("rows a chunk beyond one", _one(rows), 0.0)
    yield from _kept(figures)


def _kept(figures: Figures) -> Iterator[Target]:
    kept = figures.kept
    if kept is None:
        return
    yield _at_least("tasks ÷ answers", _one(kept.tasks / kept.answers), 1.0)
    yield _at_least("memories ÷ answers", _one(kept.entries / kept.answers), 1.0)
    yield _at_least("audit records ÷ answers", _one(kept.records / kept.answers), 2.0)
    if kept.semantic:
        yield _at_least("vectors ÷ memories", _one(kept.vectors / kept.entries), 1.0)
        yield _at_least("indexed through ÷ last place", _one(kept.indexed_through / kept.space_seq), 1.0)


def _at_least(promise: str, seen: Spread, bound: float) -> Target:
    return Target(promise, f"≥ {bound:.2f}", seen, seen.median >= bound)


def _at_most(promise: str, seen: Spread, bound: float) -> Target:
    return Target(promise, f"≤ {bound:.2f}", seen, seen.median <= bound)


def _one(value: float) -> Spread:
    return Spread(value, value, value)
