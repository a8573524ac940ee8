"""`csb serve` in a process of its own, and what the operating system says of it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from csbond.config.home import Home, create_home
from csbond.config.system import SystemClock, SystemIdentifiers
from csbond_tests.drills.documents import first_document
from csbond_tests.drills.wire import Wire

__all__ = ["Figures", "NodeProcess", "descendants", "eventually", "new_home", "serving"]

START_S = 120.0
"""Seconds until a node must answer: far more than it needs on a machine that does other things, too."""
END_S = 60.0
_LOOK_AGAIN_S = 0.02


@dataclass(frozen=True, slots=True)
class Figures:
    """What a process holds."""

    handles: int
    sockets: int
    """How many of the handles are sockets."""
    threads: int
    resident: int
    """Bytes of memory."""


@dataclass
class NodeProcess:
    """A node that serves a home."""

    home: Home
    process: asyncio.subprocess.Process
    port: int
    log: Path
    wires: set[Wire] = field(default_factory=set)
    """The connections that have not vanished."""

    @property
    def token(self) -> str:
        """The owner's token."""
        return self.home.owner_token()

    async def connect(self, *, owner: bool = True, receive_bytes: int = 0) -> Wire:
        """A connection, of the owner or of somebody without a token."""
        token = self.token if owner else ""
        return await Wire.open(self.port, token, receive_bytes=receive_bytes, among=self.wires)

    def figures(self) -> Figures:
        """What the process holds now."""
        place = Path("/proc") / str(self.process.pid)
        status = dict(line.split(":", 1) for line in (place / "status").read_text().splitlines() if ":" in line)
        resident = int(status["VmRSS"].split()[0]) * 1024
        handles = [_target(handle) for handle in (place / "fd").iterdir()]
        sockets = sum(target.startswith("socket:") for target in handles)
        return Figures(len(handles), sockets, int(status["Threads"]), resident)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    async def ended(self, within_s: float = END_S) -> int:
        """The exit status; TimeoutError when it does not come."""
        return await asyncio.wait_for(self.process.wait(), within_s)

    def said(self) -> str:
        """What the node wrote into its log."""
        return self.log.read_text(encoding="utf-8")


def _target(handle: Path) -> str:
    """What a handle of another process is; empty when it was closed meanwhile."""
    try:
        return os.readlink(handle)
    except OSError:
        return ""


def new_home(place: Path, settings: str, modules: dict[str, str] | None = None) -> Home:
    """A home with these settings, and Python modules for a function that answers."""
    home = create_home(place, "Luna", "", "", SystemClock(), SystemIdentifiers())
    home.settings_file.write_text(settings, encoding="utf-8")
    for name, source in (modules or {}).items():
        (home.path / f"{name}.py").write_text(source, encoding="utf-8")
    return home


@asynccontextmanager
async def serving(home: Home) -> AsyncIterator[NodeProcess]:
    """A node that serves a home until the block ends."""
    log = home.path / "node.log"
    command = (sys.executable, "-m", "csbond.cli", "serve", "--home", str(home.path), "--port", "0", "--json")
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=errors)
    try:
        assert process.stdout
        try:
            ready = await asyncio.wait_for(first_document(process.stdout), START_S)
        except EOFError:
            raise AssertionError(f"the node does not start:\n{log.read_text()}") from None
        node = NodeProcess(home, process, int(ready["url"].rpartition(":")[2]), log)
        try:
            yield node
        finally:
            for wire in tuple(node.wires):
                wire.vanish()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()  # reads its pipe to the end, so that nothing of it is left open


async def eventually(
    holds: Callable[[], Awaitable[bool]] | Callable[[], bool], what: str, within_s: float = 30.0
) -> None:
    """Look again and again until something holds that another process does; AssertionError when it never does."""
    end = asyncio.get_running_loop().time() + within_s
    while True:
        found = holds()
        if found if isinstance(found, bool) else await found:
            return
        assert asyncio.get_running_loop().time() < end, f"not within {within_s:g} seconds: {what}"
        await asyncio.sleep(_LOOK_AGAIN_S)


def descendants(process_id: int) -> list[int]:
    """The processes that a process began, and those they began."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found: list[int] = []
    wave = [process_id]
    while wave := [child for child, parent in parents.items() if parent in wave]:
        found += wave
    return found
