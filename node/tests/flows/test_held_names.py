from __future__ import annotations

import asyncio

import pytest

from csbond.flows.held_names import HeldNames
from csbond_tests.stories import until


async def holding(names, held, log, name, go):
    async with held.hold(names):
        log.append(name)
        await go.wait()


@pytest.fixture
def go():
    return asyncio.Event()


async def test_who_holds_other_names_waits_for_nobody(go):
    held = HeldNames()
    log: list[str] = []
    tasks = [asyncio.create_task(holding([name], held, log, name, go)) for name in "ab"]
    await until(lambda: log == ["a", "b"])
    go.set()
    await asyncio.gather(*tasks)


async def test_who_shares_a_name_waits_and_comes_next(go):
    held = HeldNames()
    log: list[str] = []
    first = asyncio.create_task(holding("ab", held, log, "first", go))
    await until(lambda: log == ["first"])
    second = asyncio.create_task(holding("bc", held, log, "second", go))
    third = asyncio.create_task(holding("d", held, log, "third", go))
    await until(lambda: log == ["first", "third"])
    go.set()
    await asyncio.gather(first, second, third)
    assert log == ["first", "third", "second"]


async def test_names_in_any_order_never_lock_each_other_out():
    held = HeldNames()
    log: list[str] = []

    async def take(names):
        async with held.hold(names):
            await asyncio.sleep(0)
            log.append(names)

    async with asyncio.timeout(5):
        await asyncio.gather(*(take(names) for names in ("ab", "ba", "bca", "cb", "aab") * 4))
    assert len(log) == 20


async def test_what_fails_while_it_holds_a_name_lets_it_go():
    held = HeldNames()
    with pytest.raises(RuntimeError):
        async with held.hold("a"):
            raise RuntimeError("no")
    async with asyncio.timeout(5), held.hold("a"):
        pass


async def test_who_gives_up_waiting_lets_go_of_what_it_had(go):
    held = HeldNames()
    log: list[str] = []
    first = asyncio.create_task(holding("b", held, log, "first", go))
    await until(lambda: log == ["first"])
    second = asyncio.create_task(holding("ab", held, log, "second", go))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    async with asyncio.timeout(5), held.hold("a"):
        pass
    go.set()
    await first
