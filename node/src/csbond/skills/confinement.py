"""A command run apart: an environment, a folder and a process group of its own, limits, and no way past its time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from csbond.skills import confined
from csbond.skills.lines import lines_of

LINGER_S = 1.0
"""Seconds the output of a command that has ended is still read: what it wrote last is in the pipe by then."""
STDERR_MAX = 64 * 1024
"""Bytes of standard error that are kept for the log; the rest is read and dropped."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one run may use."""

    cpu_s: int
    memory_bytes: int
    file_bytes: int
    open_files: int
    output_bytes: int

    def arguments(self) -> list[str]:
        """The numbers for `confined.LIMITS`; core dumps hold other people's messages, so there are none."""
        return [str(n) for n in (self.cpu_s, self.memory_bytes, self.file_bytes, self.open_files, 0)]


class OutputTooLong(Exception):
    """The command wrote more than it may; it has been ended."""


class _Pipes(asyncio.SubprocessProtocol):
    """Takes in what a process writes, and ends its group when the process has ended."""

    def __init__(self, output_bytes: int) -> None:
        self.output: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.errors = bytearray()
        self.ended = asyncio.Event()
        self.pid = 0
        self._room = output_bytes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.pid = cast("asyncio.SubprocessTransport", transport).get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.errors += data[: STDERR_MAX - len(self.errors)]
        elif self._room >= 0:
            self._room -= len(data)
            self.output.put_nowait(data)
            if self._room < 0:
                self.kill_group()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self.output.put_nowait(None)

    def process_exited(self) -> None:
        self.kill_group()
        self.ended.set()

    @property
    def overrun(self) -> bool:
        return self._room < 0

    def kill_group(self) -> None:
        """End the process and all it started in its group; what is gone already is no error."""
        if self.pid:  # group 0 would be our own
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)


class ConfinedRun:
    """One run of a command."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes, timeout_s: float) -> None:
        self._transport = transport
        self._pipes = pipes
        self._deadline = asyncio.get_running_loop().time() + timeout_s

    async def lines(self) -> AsyncGenerator[str]:
        """The lines it writes, without their ends, as soon as each is whole.

        `TimeoutError` when its time is over, `OutputTooLong` when it writes too much; both end it.
        """
        async with aclosing(self._chunks()) as chunks, aclosing(lines_of(chunks)) as lines:
            async for line in lines:
                yield line

    async def status(self) -> int:
        """Its exit status, or the negated number of the signal that ended it; `TimeoutError` when time is over."""
        async with asyncio.timeout_at(self._deadline):
            await self._pipes.ended.wait()
        status = self._transport.get_returncode()
        return status if status is not None else -signal.SIGKILL

    @property
    def errors(self) -> str:
        """The first of what it wrote on standard error; for the log, never for the caller."""
        return self._pipes.errors.decode("utf-8", "replace")

    async def end(self) -> None:
        """End it, if it has not ended, with everything it started in its process group."""
        self._pipes.kill_group()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    await self._pipes.ended.wait()
        finally:
            self._transport.close()

    async def _chunks(self) -> AsyncGenerator[bytes]:
        while (chunk := await self._next_chunk()) is not None:
            yield chunk

    async def _next_chunk(self) -> bytes | None:
        if self._pipes.overrun:
            raise OutputTooLong
        time_left = self._deadline - asyncio.get_running_loop().time()
        if self._pipes.ended.is_set():
            time_left = min(time_left, LINGER_S)
        try:
            chunk = await asyncio.wait_for(self._pipes.output.get(), time_left)
        except TimeoutError:
            if self._pipes.ended.is_set() and self._pipes.output.empty():
                return None  # something it started left the group and holds the pipe open
            raise
        if self._pipes.overrun:
            raise OutputTooLong
        return chunk


async def start_confined(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, bounds: Bounds, given: bytes, timeout_s: float
) -> ConfinedRun:
    """Start a command in a folder, with these variables only, and write `given` to its standard input.

    It inherits no descriptor but its three pipes and is the leader of a session of its own.
    """
    transport, pipes = await asyncio.get_running_loop().subprocess_exec(
        lambda: _Pipes(bounds.output_bytes),
        sys.executable,
        "-I",
        "-S",
        confined.__file__,
        *bounds.arguments(),
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env=dict(environment),
        start_new_session=True,
        close_fds=True,
    )
    stdin = cast("asyncio.WriteTransport", transport.get_pipe_transport(0))
    stdin.write(given)
    stdin.write_eof()
    return ConfinedRun(transport, pipes, timeout_s)
