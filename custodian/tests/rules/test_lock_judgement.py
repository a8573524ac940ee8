"""When a lock may be broken: the ladder, rung by rung, at its very limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.lock_judgement import holder, record_in, verdict
from memory_custodian.rules.lock_record import LockRecord, Seen

RECORD = LockRecord("lantern", 4711, command="add", created_at="2026-03-02T10:00:00+00:00")
STALE = Seen(RECORD, age_seconds=60.001, same_host=True, process_gone=True, private=True)
MALFORMED = Seen(None, age_seconds=300.001, same_host=False, process_gone=False, private=True)


@requirement("CUST-07.3-07", "CUST-07.3-09", "CUST-13.1-10")
def test_a_lock_whose_process_is_gone_for_more_than_a_minute_is_broken_on_request() -> None:
    assert verdict(STALE, breaking=True).breakable
    assert not verdict(STALE, breaking=False).breakable
    assert "--break-stale-lock takes it over" in verdict(STALE, breaking=False).reason


@requirement("CUST-07.3-08", "CUST-07.3-09", "CUST-13.1-10")
@pytest.mark.parametrize(
    "missing, word",
    [
        ({"same_host": False}, "host 'lantern'"),
        ({"process_gone": False}, "still running"),
        ({"age_seconds": 60.0}, "60 s"),
        ({"age_seconds": -5.0}, "0 s old"),
        ({"private": False}, "not a private regular file"),
    ],
    ids=["another host", "a running process", "exactly a minute", "from the future", "not private"],
)
def test_each_missing_condition_refuses(missing: dict[str, Any], word: str) -> None:
    judged = verdict(STALE._replace(**missing), breaking=True)
    assert not judged.breakable
    assert word in judged.reason


@requirement("CUST-07.3-08", "CUST-07.3-11")
@pytest.mark.parametrize("seen", [STALE, MALFORMED], ids=["its process is gone", "malformed"])
def test_one_that_is_too_young_names_the_option_that_takes_it_over_later(seen: Seen) -> None:
    young = verdict(seen._replace(age_seconds=5.0), breaking=False).reason
    assert young.startswith("it is malformed, but" if seen is MALFORMED else "its process is gone, but")
    assert "it is 5 s old: breakable above" in young
    assert young.endswith("s, where --break-stale-lock takes it over")


@requirement("CUST-07.3-10", "CUST-13.1-11")
def test_a_malformed_lock_of_more_than_five_minutes_is_broken_on_request() -> None:
    assert verdict(MALFORMED, breaking=True).breakable


@requirement("CUST-07.3-10", "CUST-07.3-11", "CUST-13.1-11")
@pytest.mark.parametrize(
    "seen, breaking",
    [
        (MALFORMED._replace(age_seconds=300.0), True),
        (MALFORMED._replace(age_seconds=61.0), True),
        (MALFORMED._replace(private=False), True),
        (MALFORMED, False),
        (MALFORMED._replace(age_seconds=10**9), False),
    ],
    ids=["exactly five minutes", "a minute", "not private", "not asked for", "not asked for, however old"],
)
def test_a_younger_unsafe_or_unasked_malformed_lock_is_refused(seen: Seen, breaking: bool) -> None:
    assert not verdict(seen, breaking=breaking).breakable


@requirement("CUST-07.2-01")
def test_a_record_needs_only_its_host_and_process() -> None:
    assert record_in(b'{"hostname": "lantern", "pid": 12}') == LockRecord("lantern", 12)
    full = RECORD._replace(project_id="p", project_root="/r", process_start="s")
    assert record_in(json.dumps({**full._asdict(), "more": 1}).encode()) == full


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"null",
        b'{"pid": 12}',
        b'{"hostname": "", "pid": 12}',
        b'{"hostname": 1, "pid": 12}',
        b'{"hostname": "a"}',
        b'{"hostname": "a", "pid": "12"}',
        b'{"hostname": "a", "pid": true}',
        b'{"hostname": "a", "pid": 0}',
        b'{"hostname": "a", "pid": -1}',
        b'{"hostname": "a", "pid": 1.5}',
        b'{"hostname": "a", "pid": 99999999999999999999}',
        b"[" * 100_000,
    ],
)
@requirement("CUST-07.3-10")
def test_anything_else_is_malformed(raw: bytes) -> None:
    assert record_in(raw) is None


def test_fields_of_a_wrong_kind_do_not_make_a_lock_malformed() -> None:
    assert record_in(b'{"hostname": "a", "pid": 1, "command": 7, "created_at": null}') == LockRecord("a", 1)


@requirement("CUST-13.2-06")
def test_the_holder_is_named_on_one_line() -> None:
    assert holder(RECORD) == "held by process 4711 on 'lantern' for `add` since 2026-03-02T10:00:00+00:00"
    assert "\n" not in holder(RECORD._replace(command="a\nb"))
    assert "malformed" in holder(None)
