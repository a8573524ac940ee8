"""Every way out of this process, watched where Python itself reports it: names that are looked up, hosts that are
called, programs that are started."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["watched"]

_WAYS_OUT = frozenset(
    {
        "socket.connect",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.gethostbyaddr",
        "socket.sendto",
        "socket.sendmsg",
        "subprocess.Popen",
        "os.system",
        "os.posix_spawn",
        "os.exec",
        "urllib.Request",
    }
)
_watching: list[list[str]] = []
_installed: list[bool] = []


@contextmanager
def watched() -> Iterator[list[str]]:
    """What goes out while it is watched, as sentences: an empty list when nothing does."""
    if not _installed:
        sys.addaudithook(_note)  # for the life of the process: it cannot be taken away
        _installed.append(True)
    seen: list[str] = []
    _watching.append(seen)
    try:
        yield seen
    finally:
        _watching.remove(seen)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching and event in _WAYS_OUT:
        for seen in _watching:
            seen.append(f"{event} {arguments[-1] if event == 'socket.connect' else arguments[0]}")
