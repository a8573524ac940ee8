"""A node that is born quickly and dies at a chosen point: forked from a process that has everything imported.

`python -m csbond_tests.drills.lives` reads one JSON document a life and forks a process that runs `csb serve`. The
driver (`Lives`) reads from it where the node listens, and how it ended.
"""

from __future__ import annotations

import asyncio
import json
import mmap
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import csbond_tests
from csbond.store.sqlite import crash_point
from csbond.testing.crash_points import VARIABLE, arm
from csbond_tests.drills.documents import Documents

__all__ = ["Death", "Life", "Lives"]

ANSWER_S = 120.0
"""Seconds until a node listens, or has ended after a kill: far more than either takes."""
_SEEN_BYTES = 64
_BETWEEN, _OPEN, _COMMITTING = b"-", b"o", b"c"
_PHASES = {"before_begin": _BETWEEN, "before_commit": _COMMITTING, "after_commit": _BETWEEN}
"""The phase that begins with a point; after any other one a transaction is open."""


@dataclass(frozen=True, slots=True)
class Death:
    """How a life ended."""

    status: int
    """The exit status; negative for a signal."""
    point: str
    """The last point of a commit group that was passed."""
    phase: str
    """`open` inside a transaction, `committing` while it was on its way to disk, else `between`."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction was open."""
        return self.phase != "between"


@dataclass
class Life:
    """A node that serves a home now, or that died before it could."""

    pid: int
    port: int
    lives: Lives
    seen: Path
    status: int | None = None
    """The exit status, once it is known."""

    def kill(self) -> None:
        """kill -9, unless it is dead already."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    async def ended(self) -> Death:
        """How it ended, once it has."""
        if self.status is None:
            self.status = (await self.lives.next_document())["ended"]
        raw = self.seen.read_bytes()
        phase = {_OPEN: "open", _COMMITTING: "committing"}.get(raw[:1], "between")
        return Death(self.status, raw[1:].rstrip(b"\0").decode(), phase)


class Lives:
    """The process that lives are forked from; one at a time."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._life: Life | None = None

    async def __aenter__(self) -> Lives:
        places = [str(Path(csbond_tests.__file__).parent.parent), *sys.path]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
        with self._log.open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "csbond_tests.drills.lives"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        assert self._process.stdout
        self._told = Documents(self._process.stdout)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process
        assert self._process.stdin
        if self._life and self._life.status is None:
            self._life.kill()  # a test that fails leaves its node alive, and the process waits for it
        self._process.stdin.close()  # and it ends
        await self._process.communicate()

    async def begin(self, home: Path, crash_at: str = "") -> Life:
        """A node that listens, or died at its crash point while it started."""
        assert self._process
        assert self._process.stdin
        seen = home / "seen"
        seen.write_bytes(b"\0" * _SEEN_BYTES)
        wanted = {"home": str(home), "crash_at": crash_at, "seen": str(seen)}
        self._process.stdin.write(json.dumps(wanted).encode() + b"\n")
        told = await self.next_document()
        if "ended" in told:
            assert told["ended"] == -signal.SIGKILL, f"the node does not start:\n{self._log.read_text()}"
            return Life(0, 0, self, seen, told["ended"])
        self._life = Life(told["pid"], int(told["url"].rpartition(":")[2]), self, seen)
        return self._life

    async def next_document(self) -> Any:
        """What the process says next: where the node listens, or how it ended."""
        return await asyncio.wait_for(self._told.next(), ANSWER_S)


def _bear() -> None:
    """Fork a life for each line of the input."""
    # What a node imports takes longer than its start; the children find it done.
    import csbond.asgi
    import csbond.cli.serve  # noqa: F401

    for line in sys.stdin:
        wanted = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_live(wanted))
        _, status = os.waitpid(child, 0)
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)  # noqa: T201


def _live(wanted: dict[str, Any]) -> int:
    from csbond.cli.serve import serve

    arm({VARIABLE: wanted["crash_at"]})
    _watch(Path(wanted["seen"]))
    return serve(home=Path(wanted["home"]), port=0, as_json=True)


def _watch(seen: Path) -> None:
    """Write each point into a page of a file as it is passed: that survives any death but the machine's."""
    ends = crash_point.reached
    with seen.open("r+b") as file:
        page = mmap.mmap(file.fileno(), _SEEN_BYTES)

    def reached(point: str) -> None:
        page[1:] = point.encode()[: _SEEN_BYTES - 1].ljust(_SEEN_BYTES - 1, b"\0")
        page[:1] = _PHASES.get(point, _OPEN)
        if ends is not None:
            ends(point)

    crash_point.reached = reached


if __name__ == "__main__":
    _bear()
