"""Plain functions in threads of their own, which end with the process whatever they are at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import Any


class SkillThreads:
    """Runs so many functions at once.

    A thread cannot be stopped: a function nobody waits for any more keeps its place until it returns. It does not keep
    the process from ending, as threads of the usual pools do.
    """

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function returns or raises; RuntimeError when it tries to end the process."""
        await self._free.acquire()
        waiter: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        call = partial(copy_context().run, function, *arguments)
        Thread(target=self._work, args=(call, waiter), name="csbond-skill", daemon=True).start()
        return await waiter

    def _work(self, call: Callable[[], Any], waiter: asyncio.Future[Any]) -> None:
        result, fault = None, None
        try:
            result = call()
        except BaseException as raised:
            fault = raised
        with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            waiter.get_loop().call_soon_threadsafe(self._settle, waiter, result, fault)

    def _settle(self, waiter: asyncio.Future[Any], result: Any, fault: BaseException | None) -> None:
        self._free.release()
        if waiter.done():
            return
        if fault is None:
            waiter.set_result(result)
        elif isinstance(fault, Exception) and not isinstance(fault, StopIteration):
            waiter.set_exception(fault)
        else:
            waiter.set_exception(RuntimeError(f"the function raised {type(fault).__name__}"))
