"""What memory promises of its speed, in one run on one machine; a run that misses one ends with status 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bench.memory.figures import Figures, Row
from bench.memory.plan import (
    ADD,
    DURABLE_PEERS,
    FILTERED,
    GROWN,
    GROWN_FAISS,
    HTTP_EMPTY,
    HTTP_HOT,
    HTTP_WARM,
    READ_BARE,
    READ_LEDGER,
    SEARCH,
    VECTOR_PEER,
    WRITE,
    WRITE_BY_MANY,
    WRITERS,
    Plan,
)
from bench.memory.stores import OURS
from bench.transport.figures import Spread

__all__ = ["Target", "targets"]

ADDS = 2.0
"""At least: times the adds a second of a durable peer."""
SEARCHES = 1.5
"""At most: times what a search of the peer takes that compares vectors alone."""
NO_SLOWER = 1.05
"""At most: of the time without a filter, or with fewer entries; what is beyond one is noise of the machine."""
GROWTH = 6.0
"""At most: times what a search takes with a tenth of the entries, comparing every vector."""
GROWTH_FAISS = 4.0
"""The same with FAISS."""
TOGETHER = 5.0
"""At least: times the adds a second of one writer, when many write at once."""
READS = 3.0
"""At most: times what the bare row takes."""
HOT, WARM = 2.0, 4.0
"""At most: times what a route takes that does nothing for its owner."""
STEADY = 1.25
"""At most: of what a write costs with fewer entries."""
ADD_P99_MS = 10.0
"""At most: milliseconds of an add."""


@dataclass(frozen=True, slots=True)
class Target:
    """One promise, and what was seen."""

    promise: str
    bound: str
    seen: Spread
    kept: bool


def targets(figures: Figures, plan: Plan) -> Iterator[Target]:
    """Every promise that this run can judge, by the median of its rounds."""
    yield from _against_peers(figures, plan)
    yield from _within(figures, plan)
    yield from _grown(figures, plan)
    yield from _over_http(figures, plan)


def _against_peers(figures: Figures, plan: Plan) -> Iterator[Target]:
    small = plan.small
    for peer in DURABLE_PEERS:
        ratio = figures.ratio(Row(ADD, OURS, 0), Row(ADD, peer, 0), "per_second")
        yield from _at_least(f"adds a second ÷ {peer}", ratio, ADDS)
    ratio = figures.ratio(Row(SEARCH, OURS, small), Row(SEARCH, VECTOR_PEER, small), "p50_ms")
    yield from _at_most(f"p50 of a hybrid search at {small:,} ÷ vectors alone by {VECTOR_PEER}", ratio, SEARCHES)


def _within(figures: Figures, plan: Plan) -> Iterator[Target]:
    small = plan.small
    for what in FILTERED.values():
        ratio = figures.ratio(Row(what, OURS, small), Row(SEARCH, OURS, small), "p50_ms")
        yield from _at_most(f"p50 of a {what} ÷ without a filter", ratio, NO_SLOWER)
    ratio = figures.ratio(Row(WRITE_BY_MANY, OURS, small), Row(WRITE, OURS, small), "per_second")
    yield from _at_least(f"adds a second of {WRITERS} writers ÷ of one", ratio, TOGETHER)
    ratio = figures.ratio(Row(READ_LEDGER, OURS, small), Row(READ_BARE, OURS, small), "p50_ms")
    yield from _at_most("p50 of a read by id ÷ of the bare row", ratio, READS)


def _grown(figures: Figures, plan: Plan) -> Iterator[Target]:
    grown = ((GROWN, GROWTH, "every vector compared"), (GROWN_FAISS, GROWTH_FAISS, "with FAISS"))
    for what, bound, how in grown:
        ratio = figures.ratio(Row(what, OURS, plan.large), Row(GROWN, OURS, plan.small), "p50_ms")
        yield from _at_most(f"p50 of a search at {plan.large:,} ÷ at {plan.small:,}, {how}", ratio, bound)
    for entries in plan.sizes:
        if entries > plan.small:
            ratio = figures.ratio(Row(WRITE, OURS, entries), Row(WRITE, OURS, plan.small), "p50_ms")
            yield from _at_most(f"p50 of an add at {entries:,} ÷ at {plan.small:,}", ratio, STEADY)
    for entries in plan.sizes:
        row = Row(WRITE, OURS, entries)
        if figures.of(row):
            yield from _at_most(f"p99 of an add at {entries:,}, in ms", _one(figures.p99_ms(row)), ADD_P99_MS)


def _over_http(figures: Figures, plan: Plan) -> Iterator[Target]:
    for what, bound in ((HTTP_HOT, HOT), (HTTP_WARM, WARM)):
        ratio = figures.ratio(Row(what, OURS, plan.large), Row(HTTP_EMPTY, OURS, plan.large), "p50_ms")
        yield from _at_most(f"p50 of a {what} at {plan.large:,} ÷ an empty route", ratio, bound)


def _at_least(promise: str, seen: Spread | None, bound: float) -> Iterable[Target]:
    return [Target(promise, f"≥ {bound:.2f}", seen, seen.median >= bound)] if seen else []


def _at_most(promise: str, seen: Spread | None, bound: float) -> Iterable[Target]:
    return [Target(promise, f"≤ {bound:.2f}", seen, seen.median <= bound)] if seen else []


def _one(value: float) -> Spread:
    return Spread(value, value, value)
