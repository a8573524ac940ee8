"""Standard output whose faults are told apart from all others, so that each ends the command in its own way."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import ENOSPC
from typing import Any, TextIO, TypeVar, cast

from csbond.protocol.errors import CsbError, LocalProtocolError, Unavailable

Done = TypeVar("Done")


class NobodyReads(Exception):
    """The reader of standard output went away; no OSError, which libraries take for their own affair."""


@contextmanager
def watched_output() -> Iterator[None]:
    """Let writing raise `NobodyReads`, `storage_full` or `invalid_params`; the latter at once where it is closed."""
    if sys.stdout is None:
        raise _unusable("standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character is no reason to stop.
            stream.reconfigure(errors="backslashreplace")
    before = sys.stdout
    sys.stdout = cast(TextIO, _Watched(before))
    try:
        yield
        sys.stdout.flush()
    finally:
        sys.stdout = before


class _Watched:
    """A stream that translates its faults, and says them again: libraries try out what a stream takes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._fault: Exception | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._done(lambda: self._stream.write(text))

    def flush(self) -> None:
        self._done(self._stream.flush)

    def _done(self, act: Callable[[], Done]) -> Done:
        if self._fault:
            raise self._fault
        try:
            return act()
        except OSError as fault:
            # Python would complain once more when it flushes the broken stream at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            self._fault = NobodyReads() if isinstance(fault, BrokenPipeError) else _translated(fault)
            raise self._fault from fault


def _translated(fault: OSError) -> CsbError:
    reason = f"standard output cannot be written: {fault.strerror}"
    return Unavailable("storage_full", reason) if fault.errno == ENOSPC else _unusable(reason)


def _unusable(reason: str) -> LocalProtocolError:
    return LocalProtocolError("invalid_params", reason, next_step="name another place, such as >/dev/null")
