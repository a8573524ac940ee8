"""What a memory looks like in numbers: how much of what there is, how it grows, and what removes it (MEM-003 §3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from csbond.protocol.audit.record import AuditDraft

DAY_MS = 24 * 3600 * 1000
GROWTH_DAYS = 90
"""Days of growth that are told unless others are asked for."""
GROWTH_DAYS_MAX = 366


@dataclass(frozen=True, slots=True)
class Counted:
    """So many living memories of one tier, type and source."""

    level: str
    type: str
    source: str
    count: int


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """What an audience may be told of the living memories, in numbers."""

    counted: tuple[Counted, ...] = ()
    visibilities: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[int, int] = field(default_factory=dict)
    """How many of them were first kept on each day; days since 1970, UTC."""
    linked: int = 0
    """How many have a link to another one, or another one to them."""
    links: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(each.count for each in self.counted)


@dataclass(frozen=True, slots=True)
class Removal:
    """A way in which memories left a tier on a day, and how many did: a record of an eviction (MEM-005 §5.4)."""

    day: int
    """Since 1970, UTC."""
    trigger: str
    action: str


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What the owner is told beside: what fills the tiers, what waits, and what it takes on disk."""

    held: Mapping[str, int] = field(default_factory=dict)
    """Living memories in each tier as its cap counts them: a text in pieces once."""
    pinned: int = 0
    """How many of the hot ones are pinned there."""
    fullest: tuple[str, int] = ("", 0)
    """The project with most warm memories, and how many."""
    removed: Mapping[Removal, int] = field(default_factory=dict)
    deleted: int = 0
    """Softly deleted memories, which can still be restored."""
    archived: int = 0
    """Records of memories that were cleared."""
    reviews: int = 0
    """Questions that wait for a person."""
    file_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Day:
    """How many memories were kept on a day, of those that are still there."""

    date: str
    kept: int


def day_of(milliseconds: int) -> int:
    """The day of a time, since 1970 and in UTC."""
    return milliseconds // DAY_MS


def growth(kept: Mapping[int, int], now: int, days: int) -> tuple[Day, ...]:
    """Each of the last days up to that of now, the earliest first, those without a memory too."""
    today = day_of(now)
    return tuple(Day(_date(day), kept.get(day, 0)) for day in range(max(0, today - days + 1), today + 1))


def removals(removed: Mapping[Removal, int]) -> dict[str, dict[str, int]]:
    """How many memories were removed, by trigger and then by action."""
    told: dict[str, dict[str, int]] = {}
    for removal, count in sorted(removed.items(), key=lambda item: (item[0].trigger, item[0].action, item[0].day)):
        actions = told.setdefault(removal.trigger, {})
        actions[removal.action] = actions.get(removal.action, 0) + count
    return told


def tallied(stats: MemoryStats, part: str) -> dict[str, int]:
    """How many memories there are of each level, type or source, most first."""
    counts: Counter[str] = Counter()
    for each in stats.counted:
        counts[getattr(each, part)] += each.count
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def removals_of(records: Iterable[AuditDraft]) -> Counter[Removal]:
    """What records of a change tell of evictions; what rises in its tier is none."""
    counted: Counter[Removal] = Counter()
    for record in records:
        for eviction in _evictions(record.details):
            if eviction["action"] != "promote":
                day = day_of(int(eviction["timestamp"]))
                counted[Removal(day, str(eviction["trigger"]), str(eviction["action"]))] += 1
    return counted


def _evictions(details: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The evictions in the details of a record: it is about one, or has a list of them."""
    if "previousLevel" in details:
        yield details
    yield from details.get("evictions", ())


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * DAY_MS / 1000, UTC).date().isoformat()
