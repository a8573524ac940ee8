"""One run of the embedding process, as the node holds it: its pipes, and who waits for which answer."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from itertools import count
from typing import cast

from csbond.engines.embedding_frames import GREETING, LENGTH, Answer, Request, Role
from csbond.protocol.errors import Unavailable

COMMAND = (sys.executable, "-P", "-m", "csbond.engines.embedding_process")
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""The matrices are small: more threads make each other wait."""
_END_SECONDS = 5.0
"""A slice of texts takes at most a second; then the process sees that its input has ended."""


class LinkBroken(Exception):
    """The process ended before it answered; a new one may do better."""


class Link:
    """A running embedding process."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._writer = cast(asyncio.StreamWriter, process.stdin)
        self._reader = cast(asyncio.StreamReader, process.stdout)
        self._numbers = count(GREETING + 1)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._ended = ""
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, command: Sequence[str], start_seconds: float) -> Link:
        """A process that has loaded its model; `embedder_unavailable` when it cannot or takes too long."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=os.environ | _ONE_THREAD
            )
        except OSError as error:
            raise Unavailable("embedder_unavailable", f"its process does not start: {error}") from error
        link = cls(process)
        greeting = link._expect(GREETING)
        link._reading = asyncio.create_task(link._read())
        try:
            await link._answered(greeting, start_seconds)
        except LinkBroken as broken:
            raise Unavailable("embedder_unavailable", f"its process does not start: {broken}") from broken
        except BaseException:
            await link.close()
            raise
        return link

    @property
    def process_id(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._ended

    async def ask(self, texts: Sequence[str], role: Role, seconds: float) -> bytes:
        """The vectors of the texts, one after the other.

        Raises LinkBroken when the process ends first, `embedder_unavailable` when it fails or takes too long.
        """
        if self._ended:
            raise LinkBroken(self._ended)
        number = next(self._numbers)
        future = self._expect(number)
        try:
            self._writer.write(Request(number, role, texts).frame())
            await self._writer.drain()
        except ConnectionError:
            pass  # the reading side finds the end of the process, and its reason
        return (await self._answered(future, seconds)).payload

    async def close(self) -> None:
        """Let the process end by itself, or end it."""
        self._end("the embedder was closed")
        self._writer.close()
        try:
            await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        if self._reading is not None:
            await self._reading

    def _expect(self, number: int) -> asyncio.Future[Answer]:
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        return future

    async def _answered(self, future: asyncio.Future[Answer], seconds: float) -> Answer:
        try:
            answer = await asyncio.wait_for(future, seconds)
        except TimeoutError as late:
            self._process.kill()
            raise Unavailable("embedder_unavailable", f"no answer within {seconds:g} s") from late
        if not answer.good:
            raise Unavailable("embedder_unavailable", answer.payload.decode("utf-8", "replace"))
        return answer

    async def _read(self) -> None:
        try:
            while True:
                (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
                self._settle(Answer.read(await self._reader.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError):
            status = await self._process.wait()
            self._end(f"the embedding process ended with status {status}")

    def _settle(self, answer: Answer) -> None:
        future = self._waiting.pop(answer.number, None)
        if future is not None and not future.done():
            future.set_result(answer)

    def _end(self, reason: str) -> None:
        self._ended = self._ended or reason
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(LinkBroken(self._ended))
        self._waiting.clear()
