"""Whether a lock that somebody holds may be broken (§7.3)."""

from __future__ import annotations

from memory_custodian.rules.lock_record import MALFORMED_AGE_SECONDS, STALE_AGE_SECONDS, LockRecord, Seen
from memory_custodian.rules.value import Value

__all__ = ["Verdict", "holder", "record_in", "verdict"]

_PID_LIMIT = 2**31
"""No system has process numbers from here on, and asking for one is an error of its own."""


class Verdict(Value):
    """What may be done about a lock."""

    breakable: bool
    """Whether it may be removed now."""
    reason: str
    """Why, or what is missing; for the message of a time-out."""


def verdict(seen: Seen, *, breaking: bool) -> Verdict:
    """Judge a lock; `breaking` says whether --break-stale-lock was given: without it none is ever broken.

    1. What is not a private regular file of this user is never touched.
    2. A malformed one must be older than 300 seconds: its writer may be about to finish it.
    3. One of another host is never judged from here.
    4. One whose process runs is held.
    5. One whose process is gone must be older than 60 seconds.
    """
    if not seen.private:
        return Verdict(False, "it is not a private regular file of this user, so it is left alone; look at it by hand")
    if seen.record is None:
        return _by_age(seen, MALFORMED_AGE_SECONDS, "it is malformed", breaking)
    if not seen.same_host:
        host = " ".join(seen.record.hostname.split())
        return Verdict(
            False, f"host '{host}' wrote it, where it has to be judged; remove it by hand once nothing there writes"
        )
    if not seen.process_gone:
        return Verdict(False, "its process is still running; wait for it, or end it")
    return _by_age(seen, STALE_AGE_SECONDS, "its process is gone", breaking)


def holder(record: LockRecord | None) -> str:
    """Say who holds a lock."""
    if record is None:
        return "held by an unknown process, its lock is malformed"
    words = f"held by process {record.pid} on '{record.hostname}'"
    words += f" for `{record.command}`" if record.command else ""
    words += f" since {record.created_at}" if record.created_at else ""
    return " ".join(words.split())


def record_in(raw: bytes) -> LockRecord | None:
    """Read the JSON of a lock; None where it is malformed: hostname must be text and pid a whole number above 0."""
    import json

    try:
        found = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    hostname, pid = found.get("hostname"), found.get("pid")
    if not isinstance(hostname, str) or not hostname or type(pid) is not int or not 0 < pid < _PID_LIMIT:
        return None
    texts = {
        name: value
        for name, value in found.items()
        if name in LockRecord._fields and name not in {"hostname", "pid"} and isinstance(value, str)
    }
    return LockRecord(hostname=hostname, pid=pid, **texts)


def _by_age(seen: Seen, limit: float, why: str, breaking: bool) -> Verdict:
    if seen.age_seconds <= limit:
        return Verdict(
            False,
            f"{why}, but it is {max(seen.age_seconds, 0):.0f} s old: breakable above {limit:.0f} s, "
            "where --break-stale-lock takes it over",
        )
    if not breaking:
        return Verdict(False, f"{why} and it is older than {limit:.0f} s: --break-stale-lock takes it over")
    return Verdict(True, f"{why} and it is older than {limit:.0f} s")
