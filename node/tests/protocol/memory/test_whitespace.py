from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.tier_policy import WhitespacePolicy
from csbond.protocol.memory.whitespace import archive_to_json, archived, checked_reason, expired, expired_before
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

POLICY = WhitespacePolicy()
MARK = "never to be read again"
ENTRY = aged(
    "cold",
    id="mem_5_e",
    type="decision",
    content=MARK,
    tags=(MARK,),
    extra={"embedding": [0.25], "note": MARK},
    timestamp=NOW - 100 * DAY_MS,
    deleted_at=NOW - 30 * DAY_MS,
    deleted_by="rule",
    seq=77,
)


def ms(year, month, day, hour=0):
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp() * 1000)


def cleared(at):
    record = archived(ENTRY, at, "it was time", "node", POLICY)
    assert record
    return record


@requirement("MEM-004-4.3-archive", "MEM-004-4.3-ethical-log")
def test_what_is_left_has_the_shape_of_the_source():
    record = archived(ENTRY, NOW, "30 days after its deletion", "node", POLICY, rule="Old sessions")
    assert record
    assert archive_to_json(record) == {
        "id": "mem_5_e",
        "type": "decision",
        "timestamp": NOW - 100 * DAY_MS,
        "original_level": "cold",
        "deleted_at": NOW - 30 * DAY_MS,
        "cleared_at": NOW,
        "ethical_log": [
            {
                "reason": "30 days after its deletion",
                "operator": "node",
                "timestamp": NOW,
                "trigger": "rule",
                "rule_name": "Old sessions",
            }
        ],
    }
    assert (record.space, record.original_seq) == ("home", 77)


@requirement("MEM-004-4.3-archive")
def test_nothing_of_content_vector_and_tags_is_left():
    record = cleared(NOW)
    for kept in (str(asdict(record)), str(archive_to_json(record))):
        assert MARK not in kept
        assert "0.25" not in kept


@requirement("MEM-004-4.3-archive")
def test_a_memory_that_lived_until_now_was_deleted_now_and_by_what_is_said():
    living = aged("hot", deleted_by="ttl")
    assert archived(living, NOW, "asked for", "owner", POLICY, trigger="system")
    for trigger, kept in (("", "manual"), ("system", "system")):
        record = archived(living, NOW, "asked for", "owner", POLICY, trigger=trigger)
        assert record
        assert (record.deleted_at, record.trigger, record.original_level) == (NOW, kept, "hot")


def test_what_was_deleted_before_triggers_were_kept_was_deleted_by_hand():
    record = archived(aged(deleted_at=5), NOW, "30 days", "node", POLICY, trigger="system")
    assert record
    assert record.trigger == "manual"


@requirement("MEM-004-4.3-optional")
def test_a_home_without_the_archive_keeps_nothing():
    assert archived(ENTRY, NOW, "30 days", "node", WhitespacePolicy(enabled=False)) is None


@requirement("MEM-004-4.3-three-years")
@pytest.mark.parametrize(
    "cleared_at,gone_at",
    [
        (ms(2027, 1, 15, 8), ms(2030, 1, 15, 8)),
        (ms(2024, 2, 28), ms(2027, 2, 28)),
        (ms(2024, 2, 29), ms(2027, 3, 1)),
        (ms(2025, 2, 28), ms(2028, 2, 28)),
        (ms(2025, 3, 1), ms(2028, 3, 1)),
        (ms(1970, 1, 1), ms(1973, 1, 1)),
    ],
)
def test_after_three_years_the_record_goes_and_not_a_moment_before(cleared_at, gone_at):
    record = cleared(cleared_at)
    assert expired(record, gone_at, POLICY)
    assert not expired(record, gone_at - 1, POLICY)


@requirement("MEM-004-4.3-three-years")
@pytest.mark.parametrize("years", [1, 10])
def test_how_many_years_is_a_setting(years):
    policy = WhitespacePolicy(retention_years=years)
    assert not expired(cleared(NOW), NOW + (years * 365 - 1) * DAY_MS, policy)
    assert expired(cleared(NOW), NOW + years * 366 * DAY_MS, policy)


def test_more_years_than_the_calendar_has_keep_a_record_for_ever():
    assert not expired(cleared(0), ms(9999, 12, 31), WhitespacePolicy(retention_years=20_000))


def test_of_no_years_every_record_has_had_its_time():
    assert expired(cleared(ms(2024, 2, 29)), ms(2024, 2, 29), WhitespacePolicy(retention_years=0))


@requirement("MEM-004-4.3-three-years")
@given(st.integers(ms(1973, 1, 1), ms(2200, 1, 1)), st.integers(0, 10**10))
def test_three_years_are_1095_or_1096_days_and_never_begin_later_for_a_later_day(now, more):
    assert 3 * 365 * DAY_MS <= now - expired_before(now, POLICY) <= (3 * 365 + 2) * DAY_MS
    assert expired_before(now, POLICY) <= expired_before(now + more, POLICY)


@pytest.mark.parametrize("reason", ["", "  ", "r" * 257, "a\ud800", "a\x00", None, 5])
def test_a_reason_is_a_short_text(reason):
    assert refused_field(lambda: checked_reason(reason)) == "reason"


def test_a_reason_is_kept_in_nfc():
    assert checked_reason(" cafe\u0301 ") == "caf\u00e9"
    assert checked_reason("理由" * 128) == "理由" * 128
