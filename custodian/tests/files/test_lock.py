"""The lock: taken by one, waited for by others, released whatever happens, broken only when its holder is gone."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from csbond_tests import custodian_fixtures
from csbond_tests.custodian_world import PROJECT_ID, Project
from csbond_tests.marks import requirement
from memory_custodian.cli import VERBS
from memory_custodian.files import lock as locks
from memory_custodian.files.lock import LockWish, Timing, held, lock_path, seen_lock
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state
from memory_custodian.files.process import hostname
from memory_custodian.files.signals import ended_by_signals
from memory_custodian.rules.lock_record import POLL_MAX_SECONDS, POLL_MIN_SECONDS, WAIT_SECONDS
from memory_custodian.rules.problems import Unavailable


class Clock:
    """A clock that only goes on while somebody sleeps."""

    def __init__(self, spread: float = 0.5) -> None:
        self.at = 0.0
        self.began = time.time()
        self.sleeps: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.timing = Timing(lambda: self.at, lambda: self.began + self.at, self.sleep, lambda: spread)

    def sleep(self, seconds: float) -> None:
        self.at += seconds
        self.sleeps.append(seconds)
        self.meanwhile()

    def wish(self, *, wait: float = WAIT_SECONDS, breaking: bool = False) -> LockWish:
        return LockWish("add", self.at + wait, wait, breaking, self.timing)


world, place = custodian_fixtures.world, custodian_fixtures.place


@pytest.fixture
def path(place: Place) -> Path:
    return Path(lock_path(private_state(place), place, PROJECT_ID))


@pytest.fixture
def ended() -> int:
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def left(path: Path, age: float, **record: Any) -> None:
    """Leave a lock of this age, as a process that was killed does; only `raw` for a malformed one."""
    raw = record.pop("raw", None)
    path.write_text(json.dumps({"hostname": hostname(), **record}) if raw is None else raw)
    path.chmod(0o600)
    os.utime(path, (time.time() - age, time.time() - age))


@requirement("CUST-07.2-01", "CUST-13.1-10")
def test_the_lock_is_json_that_tells_who_holds_it(place: Place, path: Path) -> None:
    with held(place, PROJECT_ID, Clock().wish()):
        record = json.loads(path.read_text())
        assert list(record) == sorted(record)
        assert set(record) == {
            *("command", "created_at", "hostname", "pid", "project_id", "project_root"),
            "process_start",
        }
        assert record["project_id"] == PROJECT_ID
        assert record["project_root"] == place.root
        assert (record["pid"], record["hostname"], record["command"]) == (os.getpid(), hostname(), "add")
        assert record["created_at"].endswith("+00:00")
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()


@requirement("CUST-B5.7-01")
def test_without_a_project_id_the_bootstrap_lock_is_held_by_path(place: Place) -> None:
    bootstrap = Path(lock_path(private_state(place), place, None))
    with held(place, None, Clock().wish()):
        record = json.loads(bootstrap.read_text())
        assert (record["command"], record["project_id"]) == ("add bootstrap", "")
    assert not bootstrap.exists()


@requirement("CUST-07.3-01", "CUST-07.3-02", "CUST-07.3-03", "CUST-13.1-10")
@pytest.mark.parametrize("spread, step", [(0.0, 0.10), (0.5, 0.175), (1.0, 0.25)])
def test_a_second_waits_ten_seconds_in_steps_of_100_to_250_milliseconds(
    place: Place, path: Path, spread: float, step: float
) -> None:
    clock = Clock(spread)
    with held(place, PROJECT_ID, Clock().wish()):
        before = path.read_bytes()
        with (
            pytest.raises(Unavailable, match=r"^Timed out waiting for mutation lock"),
            held(place, PROJECT_ID, clock.wish()),
        ):
            raise AssertionError
        assert path.read_bytes() == before
    assert clock.at == pytest.approx(10.0)
    assert (WAIT_SECONDS, POLL_MIN_SECONDS, POLL_MAX_SECONDS) == (10.0, 0.1, 0.25)
    assert clock.sleeps[:-1] == pytest.approx([step] * (len(clock.sleeps) - 1))
    assert clock.sleeps[-1] <= step + 1e-9


@requirement("CUST-07.3-03")
def test_waiters_are_spread_evenly() -> None:
    drawn = [locks._spread() for _ in range(200)]
    assert all(0 <= number <= 1 for number in drawn)
    assert min(drawn) < 0.2
    assert max(drawn) > 0.8


@requirement("CUST-07.3-03", "CUST-13.1-10")
def test_who_waits_gets_it_when_it_is_free(place: Place, path: Path) -> None:
    left(path, age=5, pid=os.getpid())
    clock = Clock()

    def leave_the_third_time() -> None:
        if len(clock.sleeps) == 3:
            path.unlink()

    clock.meanwhile = leave_the_third_time
    with held(place, PROJECT_ID, clock.wish()):
        assert json.loads(path.read_text())["pid"] == os.getpid()
    assert len(clock.sleeps) == 3


@requirement("CUST-07.3-02")
def test_no_time_to_wait_means_one_try(place: Place, path: Path) -> None:
    left(path, age=5, pid=os.getpid())
    clock = Clock()
    with pytest.raises(Unavailable, match="after 0 s"), held(place, PROJECT_ID, clock.wish(wait=0)):
        raise AssertionError
    assert clock.sleeps == []


@requirement("CUST-07.3-06")
@pytest.mark.parametrize(
    "error", [Unavailable("x"), OSError("x"), KeyboardInterrupt(), SystemExit(1), RuntimeError("x")]
)
def test_it_is_released_whatever_happens(place: Place, path: Path, error: BaseException) -> None:
    def work() -> None:
        with held(place, PROJECT_ID, Clock().wish()):
            assert path.exists()
            raise error

    with pytest.raises(type(error)):
        work()
    assert not path.exists()


@requirement("CUST-07.3-06")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_like_an_error(place: Place, path: Path, number: signal.Signals) -> None:
    before = signal.getsignal(number)

    def work() -> None:
        with ended_by_signals(), held(place, PROJECT_ID, Clock().wish()):
            os.kill(os.getpid(), number)
            threading.Event().wait(60)

    with pytest.raises(SystemExit) as ended:
        work()
    assert ended.value.code == 128 + number
    assert not path.exists()
    assert signal.getsignal(number) == before


def test_in_another_thread_signals_are_left_alone(place: Place) -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []

    def work() -> None:
        with ended_by_signals(), held(place, PROJECT_ID, Clock().wish()):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


@requirement("CUST-07.3-06")
def test_only_ones_own_lock_is_released(place: Place, path: Path) -> None:
    """Whoever broke it by hand, and the one who holds it since, keep theirs."""
    with held(place, PROJECT_ID, Clock().wish()):
        left(path, age=0, pid=1)
        theirs = path.read_bytes()
    assert path.read_bytes() == theirs


@requirement("CUST-07.3-07", "CUST-07.3-09", "CUST-13.1-10")
def test_a_stale_lock_is_taken_over_on_request_only(place: Place, path: Path, ended: int) -> None:
    left(path, age=61, pid=ended)
    with pytest.raises(Unavailable, match="--break-stale-lock takes it over"), held(place, PROJECT_ID, Clock().wish()):
        raise AssertionError
    clock = Clock()
    with held(place, PROJECT_ID, clock.wish(breaking=True)):
        assert json.loads(path.read_text())["pid"] == os.getpid()
    assert clock.sleeps == []
    assert not path.exists()


@requirement("CUST-07.3-08", "CUST-07.3-09")
@pytest.mark.parametrize(
    "age, record, why",
    [
        (3600, {"pid": os.getpid()}, "still running"),
        (3600, {"pid": 4711, "hostname": "another"}, "host 'another'"),
        (30, {}, "30 s old: breakable above 60 s"),
    ],
    ids=["its process runs", "another host", "too young"],
)
def test_each_missing_condition_refuses_whatever_is_asked(
    place: Place, path: Path, ended: int, age: float, record: dict[str, Any], why: str
) -> None:
    left(path, age, **{"pid": ended, **record})
    before = path.read_bytes()
    wish = Clock().wish(wait=0.3, breaking=True)
    with pytest.raises(Unavailable, match=why), held(place, PROJECT_ID, wish):
        raise AssertionError
    assert path.read_bytes() == before


@requirement("CUST-07.3-10", "CUST-07.3-11", "CUST-13.1-11")
def test_a_malformed_lock_is_taken_over_after_300_seconds_on_request(place: Place, path: Path) -> None:
    left(path, age=299, raw="")
    for breaking in (False, True):
        with (
            pytest.raises(Unavailable, match="malformed"),
            held(place, PROJECT_ID, Clock().wish(wait=0.3, breaking=breaking)),
        ):
            raise AssertionError
    left(path, age=301, raw="{")
    with pytest.raises(Unavailable, match="malformed"), held(place, PROJECT_ID, Clock().wish()):
        raise AssertionError
    assert path.read_text() == "{"
    with held(place, PROJECT_ID, Clock().wish(breaking=True)):
        pass
    assert not path.exists()


@requirement("CUST-07.3-09")
def test_a_wait_grows_a_lock_old_enough(place: Place, path: Path, ended: int) -> None:
    """While one waits with --break-stale-lock, the minute may pass."""
    left(path, age=55, pid=ended)
    clock = Clock()
    with held(place, PROJECT_ID, clock.wish(breaking=True)):
        pass
    assert 4.5 < clock.at < 6


@requirement("CUST-07.3-10", "CUST-B5.7-02")
@pytest.mark.parametrize("kind", ["link", "folder", "writable by others"])
def test_what_is_no_private_file_is_left_alone(place: Place, path: Path, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "target"
    target.write_text("")
    if kind == "link":
        path.symlink_to(target)
    elif kind == "folder":
        path.mkdir()
    else:
        left(path, age=10**6, raw="")
        path.chmod(0o666)
    with (
        pytest.raises(Unavailable, match="not a private regular file"),
        held(place, PROJECT_ID, Clock().wish(wait=0.3, breaking=True)),
    ):
        raise AssertionError
    assert path.is_symlink() or path.exists()
    assert target.exists()


@requirement("CUST-07.3-09")
def test_the_age_is_the_greater_of_time_stamp_and_record(path: Path, ended: int) -> None:
    now = time.time()
    left(path, age=10, pid=ended, created_at="2026-03-02T10:00:00Z")
    found = seen_lock(str(path), now)
    assert found is not None
    assert found.age_seconds > 1000
    for unknown in ("yesterday", "2026-03-02T10:00:00", "2999-01-01T00:00:00+00:00"):
        left(path, age=10, pid=ended, created_at=unknown)
        found = seen_lock(str(path), now)
        assert found is not None
        assert found.age_seconds == pytest.approx(10, abs=5)
    path.unlink()
    assert seen_lock(str(path), now) is None


@requirement("CUST-07.3-09")
def test_of_two_who_break_it_one_sees_that_it_is_another_lock_by_then(
    place: Place, path: Path, ended: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first judged it, and before it holds the guard the second has broken it and holds a lock of its own."""
    left(path, age=61, pid=ended)
    guard = locks._guard

    def second_comes_first(guarded: str) -> Any:
        left(path, age=0, pid=os.getpid())
        return guard(guarded)

    monkeypatch.setattr(locks, "_guard", second_comes_first)
    with pytest.raises(Unavailable, match="Timed out"), held(place, PROJECT_ID, Clock().wish(wait=0.3, breaking=True)):
        raise AssertionError
    assert json.loads(path.read_text())["pid"] == os.getpid()
    assert Path(private_state(place).locks, "breaking.guard").exists()


def test_a_guard_that_cannot_be_held_is_named(
    place: Place, path: Path, ended: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_handle: int, _how: int) -> None:
        raise OSError(37, "No locks available")

    left(path, age=61, pid=ended)
    guard = Path(private_state(place).locks, "breaking.guard")
    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", none)
        with pytest.raises(OSError, match="No locks") as told, held(place, PROJECT_ID, Clock().wish(breaking=True)):
            raise AssertionError
    assert told.value.filename == str(guard)
    guard.unlink()
    guard.mkdir()
    with pytest.raises(IsADirectoryError) as told, held(place, PROJECT_ID, Clock().wish(breaking=True)):
        raise AssertionError
    assert told.value.filename == str(guard)


@requirement("CUST-13.2-06", "CUST-13.1-10")
def test_a_time_out_says_who_holds_it_and_what_may_be_done(place: Place, path: Path) -> None:
    left(path, age=5, pid=os.getpid(), command="compact", created_at="2999-03-02T10:00:00+00:00")
    with pytest.raises(Unavailable) as late, held(place, PROJECT_ID, Clock().wish()):
        raise AssertionError
    assert late.value.message == (
        f"Timed out waiting for mutation lock {path} after 10 s: held by process {os.getpid()} on '{hostname()}' for "
        "`compact` since 2999-03-02T10:00:00+00:00; its process is still running; wait for it, or end it"
    )


def test_a_lock_that_went_at_the_last_moment_was_held_by_others_in_turn(place: Place, path: Path) -> None:
    left(path, age=5, pid=os.getpid())
    clock = Clock()
    clock.meanwhile = lambda: None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locks, "seen_lock", lambda _path, _now: None)
        with pytest.raises(Unavailable, match="one after the other"), held(place, PROJECT_ID, clock.wish(wait=0.2)):
            raise AssertionError


@requirement("CUST-07.3-12")
@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_has_an_option_that_breaks_a_lock_without_conditions(world: Project, verb: str) -> None:
    actions = ["list", "show", "add", "rename", "add-alias"] if verb == "subject" else [""]
    reading = {"status", "read", "check", "subject list", "subject show"}
    for words in ([verb, action] if action else [verb] for action in actions):
        flags = set(re.findall(r"--[a-z-]*lock[a-z-]*", world.run(*words, "--help").out))
        assert flags == (set() if " ".join(words) in reading else {"--lock-timeout", "--break-stale-lock"})
        for flag in ("--force-lock", "--break-lock", "--ignore-lock", "--no-lock"):
            done = world.run(*words, flag)
            assert (done.code, done.out) == (2, "")
