"""A thousand streams at once, half of whose clients vanish, round after round: nothing of them stays behind."""

from __future__ import annotations

import asyncio
import resource
from dataclasses import dataclass

import pytest

from csbond_tests.drills.form import FULL
from csbond_tests.drills.held_streams import (
    HELD_SKILL,
    Inside,
    follow_to_the_end,
    inside,
    let_go,
    open_streams,
    vanish_at_once,
)
from csbond_tests.drills.processes import Figures, NodeProcess, eventually, new_home, serving
from csbond_tests.drills.wire import Wire
from csbond_tests.requirements import requirement

ROUNDS, STREAMS = (10, 1000) if FULL else (3, 100)
SETTLED_AFTER = 5
"""Rounds in which caches and pools may fill before memory is compared."""
GROWTH_MAX = 0.02
SPARE_HANDLES = 200
SETTINGS = """
[skill]
kind = "function"
function = "held_skill:answer"
path = "."
[memory]
semantic = "off"
"""


@dataclass(frozen=True)
class Footing:
    """What the process holds between two rounds."""

    figures: Figures
    inside: Inside


@pytest.fixture
def many_handles():
    """Handles for every stream in this process and in the node it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, STREAMS + SPARE_HANDLES)
    assert hard in (resource.RLIM_INFINITY, wanted) or hard > wanted, f"the machine allows {hard} handles a process"
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.alone
@pytest.mark.timeout(3600 if FULL else 170)
@requirement("FAULT-14", "FAULT-19")
async def test_streams_and_clients_that_vanish_leave_nothing_behind(tmp_path, many_handles, record_figures):
    home = new_home(tmp_path / "home", SETTINGS, {"held_skill": HELD_SKILL})
    async with serving(home) as node:
        wire = await node.connect()
        await play(node, wire, STREAMS // 10, "warm")
        before = await footing(node, wire, None)
        after: list[Footing] = []
        for number in range(ROUNDS):
            await play(node, wire, STREAMS, f"r{number}")
            after.append(await footing(node, wire, before))
        record_figures(report(before, after))
        assert "Traceback" not in node.said()
    if ROUNDS > SETTLED_AFTER:
        assert growth(after[SETTLED_AFTER:]) < GROWTH_MAX, report(before, after)


def growth(rounds: list[Footing]) -> float:
    """By what share memory grew from the first of five rounds to the last.

    From round to round it sways by two in a hundred, as caches fill and the log of the database is folded in; its
    peaks do not. Those of the first and the last three rounds lie two rounds apart, half of the way.
    """
    resident = [each.figures.resident for each in rounds]
    first, last = max(resident[:3]), max(resident[-3:])
    return 2 * (last - first) / first


async def play(node: NodeProcess, wire: Wire, count: int, name: str) -> None:
    """One round: all streams are open at once, half of the clients vanish, the others follow to the end."""
    streams = await open_streams(node, count, name)
    assert (await wire.good("GET", "/v1/status"))["running_tasks"] == count
    leaving, staying = streams[::2], streams[1::2]
    for number, (other, events) in enumerate(leaving):
        if number % 3 == 0:
            await anext(events)  # some leave in the middle of what they are told
        other.vanish(reset=number % 2 == 0)
    await vanish_at_once(node, count // 10, f"{name}-hasty")
    async with asyncio.TaskGroup() as clients:
        following = [clients.create_task(follow_to_the_end(stream)) for stream in staying]
        await let_go(wire)
    for said in (each.result() for each in following):
        assert said.startswith("begun")
        assert said.endswith(" end")


async def footing(node: NodeProcess, wire: Wire, before: Footing | None) -> Footing:
    """What the process holds once it has come to rest: as many handles, threads and tasks as before."""
    now: list[Footing] = []

    async def at_rest() -> bool:
        if (await wire.good("GET", "/v1/status"))["running_tasks"]:
            await let_go(wire)  # the message of a client that vanished at once may have come late
            return False
        now[:] = [Footing(node.figures(), await inside(wire))]
        if before is None:
            return now[0].figures.handles == node.figures().handles
        held, holds = (before.figures, before.inside), (now[0].figures, now[0].inside)
        return (held[0].handles, held[0].threads, held[1]) == (holds[0].handles, holds[0].threads, holds[1])

    try:
        await eventually(at_rest, "as many handles, threads and tasks as before")
    except AssertionError as fault:
        raise AssertionError(f"{fault}: {before} before, {now} now") from None
    return now[0]


def report(before: Footing, after: list[Footing]) -> str:
    """The figures of every round."""
    megabytes = [f"{each.figures.resident / 2**20:.1f}" for each in after]
    held = before.figures
    return (
        f"{len(after)} rounds of {STREAMS} streams; before and after each {held.handles} handles, {held.threads} "
        f"threads and {before.inside.tasks} tasks; memory {held.resident / 2**20:.1f} MB, then {', '.join(megabytes)}"
        + (f"; growth of the last five {growth(after[SETTLED_AFTER:]):.2%}" if ROUNDS > SETTLED_AFTER else "")
    )
