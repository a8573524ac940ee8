"""The lock of a project: whoever writes holds it, and it lies outside the project (§7)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache

from memory_custodian.files.atomic import named
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import (
    PrivateState,
    create_private,
    is_private,
    private_state,
    project_key,
    read_private,
)
from memory_custodian.files.process import hostname, is_gone, start_of
from memory_custodian.files.small_json import as_json
from memory_custodian.rules.lock_record import POLL_MAX_SECONDS, POLL_MIN_SECONDS, WAIT_SECONDS, LockRecord, Seen
from memory_custodian.rules.problems import Unavailable
from memory_custodian.rules.value import Value

__all__ = ["LockWish", "Timing", "held", "lock_path", "seen_lock"]


def _spread() -> float:
    """A random number from 0 to 1, without the cost of importing `random`."""
    return int.from_bytes(os.urandom(2), "big") / 0xFFFF


class Timing(Value):
    """The clocks a wait goes by; tests give their own."""

    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    spread: Callable[[], float] = _spread


class LockWish(Value):
    """How a command asks for a lock."""

    command: str
    until: float
    """On the monotonic clock: both locks of a command are waited for together."""
    wait_seconds: float = WAIT_SECONDS
    """The same as a length, for the message."""
    breaking: bool = False
    """Whether --break-stale-lock was given."""
    timing: Timing = Timing()
    undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext
    """Holds signals off: a lock that was made and not yet written would belong to nobody."""


@contextmanager
def held(place: Place, project_id: str | None, wish: LockWish) -> Iterator[None]:
    """Hold the lock of a project, or without an ID its bootstrap lock by path; released whatever happens.

    Raises `Unavailable` when it is not free in time; the message says who holds it and what may be done.
    """
    state = private_state(place)
    path = lock_path(state, place, project_id)
    content = _content(place, project_id, wish)
    try:
        _acquire(path, content, state, wish)
        yield
    finally:
        _release(path, content)


def lock_path(state: PrivateState, place: Place, project_id: str | None) -> str:
    """Return where the lock lies: named by the project_id, or by the path of the project."""
    return os.path.join(state.locks, f"{project_id or 'bootstrap-' + project_key(place)}.lock")


def seen_lock(path: str, now: float) -> Seen | None:
    """Look at a lock without following a link; None where there is none any more."""
    # What judges a lock is loaded where one is in the way.
    from memory_custodian.rules.lock_judgement import record_in

    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    private = is_private(found)
    record = record_in((_content_of(path) if private else None) or b"")
    return Seen(
        record=record,
        age_seconds=max(now - found.st_mtime, _age_in(record, now)),
        same_host=record is not None and record.hostname == hostname(),
        process_gone=record is not None and is_gone(record.pid, record.process_start),
        private=private,
    )


def _content(place: Place, project_id: str | None, wish: LockWish) -> bytes:
    now = wish.timing.now()
    record = LockRecord(
        hostname=hostname(),
        pid=os.getpid(),
        project_id=project_id or "",
        project_root=place.root,
        created_at=time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1e6):06d}+00:00",
        command=wish.command if project_id else f"{wish.command} bootstrap",
        process_start=_own_start(os.getpid()),
    )
    return as_json(dict(sorted(record._asdict().items())))


@lru_cache(maxsize=1)
def _own_start(pid: int) -> str:
    return start_of(pid)


def _acquire(path: str, content: bytes, state: PrivateState, wish: LockWish) -> None:
    timing = wish.timing
    while not _created(path, content, wish):
        if wish.breaking and _broken(path, state, wish):
            continue
        left = wish.until - timing.monotonic()
        if left <= 0:
            raise _timed_out(path, wish)
        timing.sleep(min(left, POLL_MIN_SECONDS + (POLL_MAX_SECONDS - POLL_MIN_SECONDS) * timing.spread()))


def _created(path: str, content: bytes, wish: LockWish) -> bool:
    with wish.undisturbed():
        return create_private(path, content)


def _broken(path: str, state: PrivateState, wish: LockWish) -> bool:
    """Remove a lock that may be broken; whether it is worth trying again at once."""
    if not _may_be_broken(path, wish):
        return False
    with _guard(os.path.join(state.locks, "breaking.guard")):
        # Another one may have broken it and hold the next one already.
        if not _may_be_broken(path, wish):
            return False
        os.unlink(path)
        return True


def _may_be_broken(path: str, wish: LockWish) -> bool:
    from memory_custodian.rules.lock_judgement import verdict

    found = seen_lock(path, wish.timing.now())
    return found is not None and verdict(found, breaking=True).breakable


def _timed_out(path: str, wish: LockWish) -> Unavailable:
    from memory_custodian.rules.lock_judgement import holder, verdict

    words = f"Timed out waiting for mutation lock {path} after {wish.wait_seconds:g} s"
    found = seen_lock(path, wish.timing.now())
    if found is None:
        return Unavailable(f"{words}: others held it one after the other; try again, or with a longer --lock-timeout")
    return Unavailable(f"{words}: {holder(found.record)}; {verdict(found, breaking=False).reason}")


def _release(path: str, content: bytes) -> None:
    """Remove the lock if it is ours; whoever broke it has another one there."""
    if _content_of(path) == content:
        os.unlink(path)


def _content_of(path: str) -> bytes | None:
    try:
        return read_private(path)
    except (OSError, Unavailable):
        return None


def _age_in(record: LockRecord | None, now: float) -> float:
    if record is None or not record.created_at:
        return 0.0
    from datetime import datetime

    try:
        made = datetime.fromisoformat(record.created_at.replace("Z", "+00:00"))
    except ValueError:
        return 0.0
    return now - made.timestamp() if made.tzinfo else 0.0


@contextmanager
def _guard(path: str) -> Iterator[None]:
    """Hold what only those take who break a lock. Its file is never removed: that would part those who hold it."""
    create_private(path, b"\0")
    handle = os.open(path, os.O_RDWR)
    try:
        with named(path):
            _hold_alone(handle)
        yield
    finally:
        os.close(handle)


def _hold_alone(handle: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)
