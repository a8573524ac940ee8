from __future__ import annotations

from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.memory.stats import (
    DAY_MS,
    Counted,
    Day,
    MemoryStats,
    Removal,
    day_of,
    growth,
    removals,
    removals_of,
    tallied,
)
from csbond_tests.requirements import requirement

NOON = 20_000 * DAY_MS + DAY_MS // 2


@requirement("MEM-003-3.1-stats")
def test_growth_tells_each_day_up_to_today_those_without_a_memory_too() -> None:
    kept = {19_998: 2, 20_000: 1, 20_001: 9}
    assert growth(kept, NOON, 3) == (Day("2024-10-02", 2), Day("2024-10-03", 0), Day("2024-10-04", 1))
    assert growth({}, NOON, 1) == (Day("2024-10-04", 0),)
    assert growth({0: 4}, 5, 90) == (Day("1970-01-01", 4),)


def test_a_day_begins_at_midnight_utc() -> None:
    assert [day_of(at) for at in (0, DAY_MS - 1, DAY_MS)] == [0, 0, 1]


def record(**details) -> AuditDraft:
    return AuditDraft(
        "audit_1", "memory_delete", NOON, "delete_memory", "mem_1", Intent("g", "owner", "t"), details=details
    )


def eviction(action="demote", trigger="lru", at=NOON):
    return {"action": action, "trigger": trigger, "timestamp": at, "previousLevel": "hot", "newLevel": "warm"}


@requirement("MEM-003-3.1-stats")
def test_records_of_evictions_are_counted_by_day_trigger_and_action() -> None:
    records = [
        record(**eviction()),
        record(**eviction()),
        record(entries=["mem_1"], evictions=[eviction("delete", "manual", NOON + DAY_MS)]),
        record(**eviction("promote", "system")),
        record(entries=["mem_1"]),
    ]
    lru, manual = Removal(20_000, "lru", "demote"), Removal(20_001, "manual", "delete")
    assert removals_of(records) == {lru: 2, manual: 1}
    later = {Removal(20_002, "lru", "demote"): 3, Removal(20_001, "lru", "delete"): 1}
    assert removals({lru: 2, manual: 1, **later}) == {"lru": {"delete": 1, "demote": 5}, "manual": {"delete": 1}}


def test_numbers_are_tallied_by_one_part_most_first() -> None:
    stats = MemoryStats(
        (Counted("hot", "event", "user", 1), Counted("warm", "todo", "user", 4), Counted("warm", "event", "agent", 1))
    )
    assert list(tallied(stats, "level").items()) == [("warm", 5), ("hot", 1)]
    assert list(tallied(stats, "type").items()) == [("todo", 4), ("event", 2)]
    assert tallied(stats, "source") == {"user": 5, "agent": 1}
    assert stats.total == 6
