"""One process runs a home: a lock that the operating system frees when the process ends, however it ends."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from csbond.config.home import Home
from csbond.protocol.errors import LocalProtocolError, Unavailable

if TYPE_CHECKING:
    from csbond.flows.ports import Clock

_PATIENCE_S = 0.5
"""Seconds to wait for the lock: longer than a look of `running_node` takes, shorter than a person notices."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What node.run says of the process that runs a home."""

    pid: int
    url: str
    """Where it is reached; empty while it starts."""
    started_at: int
    """Milliseconds since 1970."""
    certificate: str = ""
    """File of the TLS certificate it shows; empty without TLS."""


class HeldHome:
    """The right to run a home, until the `with` block of `hold_home` ends."""

    def __init__(self, home: Home, started_at: int) -> None:
        self._home = home
        self._started_at = started_at

    def announce(self, url: str, certificate: str = "") -> None:
        """Tell other processes at which address the node of this home is reached, and what certificate it shows."""
        record = RunRecord(os.getpid(), url, self._started_at, certificate)
        draft = self._home.run_file.with_suffix(".new")
        draft.write_text(json.dumps(asdict(record)) + "\n", encoding="utf-8")
        draft.replace(self._home.run_file)


@contextmanager
def hold_home(home: Home, clock: Clock) -> Iterator[HeldHome]:
    """The right to run a home; `home_busy` names the process and the address that have it."""
    # Only a node holds a home, and most commands do not wait for this to load.
    from filelock import FileLock, Timeout

    lock = FileLock(home.lock_file, timeout=_PATIENCE_S, poll_interval=0.02, mode=0o600)
    try:
        lock.acquire()
    except Timeout as fault:
        raise _busy(home) from fault
    except OSError as fault:
        raise LocalProtocolError(
            "setting_invalid", f"{home.lock_file} cannot be locked: {fault.strerror}", next_step="csb doctor"
        ) from fault
    try:
        held = HeldHome(home, clock.now())
        held.announce("")
        yield held
    finally:
        home.run_file.unlink(missing_ok=True)
        lock.release()


def running_node(home: Home) -> RunRecord | None:
    """The process that runs a home now; None when none does, whatever a dead one left behind."""
    return last_record(home) if _is_held(home) else None


def last_record(home: Home) -> RunRecord:
    """What node.run says; pid 0 while it says nothing."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        raw = json.loads(home.run_file.read_text(encoding="utf-8"))
        return RunRecord(int(raw["pid"]), str(raw["url"]), int(raw["started_at"]), str(raw["certificate"]))
    return RunRecord(0, "", 0)


def _is_held(home: Home) -> bool:
    try:
        descriptor = os.open(home.lock_file, os.O_RDONLY)
    except OSError:
        return False
    try:
        # Looks shared, so that two who look do not take each other for a running node.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _busy(home: Home) -> Unavailable:
    record = last_record(home)
    who = f"process {record.pid}" if record.pid else "another process"
    where = f" at {record.url}" if record.url else ""
    return Unavailable(
        "home_busy",
        f"{who} already runs the home {home.path}{where}",
        next_step=f"talk to it, or stop it first{f': kill {record.pid}' if record.pid else ''}",
    )
