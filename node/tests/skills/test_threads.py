"""Functions in threads: so many at once, what they raise, and what becomes of those nobody waits for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from csbond.skills.threads import SkillThreads


async def test_what_a_function_returns_and_raises_arrives():
    threads = SkillThreads(1)
    assert await threads.run(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await threads.run(divmod, 7, 0)
    assert await threads.run(divmod, 7, 2) == (3, 1), "a fault takes no place"


@pytest.mark.parametrize("way_out", [SystemExit, KeyboardInterrupt, StopIteration, GeneratorExit])
async def test_a_function_that_wants_out_ends_only_its_own_answer(way_out):
    def leave() -> None:
        raise way_out

    with pytest.raises(RuntimeError, match=way_out.__name__):
        await SkillThreads(1).run(leave)


async def test_a_function_nobody_waits_for_keeps_its_place_until_it_returns():
    threads, started, release = SkillThreads(1), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        release.wait(10)

    abandoned = asyncio.create_task(threads.run(work))
    await asyncio.to_thread(started.wait, 10)
    abandoned.cancel()
    await asyncio.gather(abandoned, return_exceptions=True)
    next_one = asyncio.create_task(threads.run(threading.current_thread))
    await asyncio.sleep(0)
    assert not next_one.done()
    release.set()
    assert (await asyncio.wait_for(next_one, 10)).daemon


def test_a_function_that_never_returns_does_not_keep_the_process_from_ending():
    script = """
import asyncio, threading
from csbond.skills.threads import SkillThreads

async def main():
    running = asyncio.create_task(SkillThreads(1).run(threading.Event().wait))
    await asyncio.sleep(0)
    running.cancel()

asyncio.run(main())
"""
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
