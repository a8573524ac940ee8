from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from csbond.protocol.errors import Unavailable
from csbond.schedule.jobs import Job
from csbond.schedule.runner import LONGEST_PAUSE_S, due_at, run_schedule
from csbond.testing import InMemoryLedger
from csbond_tests.small_world import NOW, small_world

HOUR = 3_600_000
UNREADABLE = Unavailable("storage_unavailable", "the disk is away")


class Days:
    """A world whose clock moves while the schedule pauses, and what its jobs did when."""

    def __init__(self, ledger: Any = None) -> None:
        self.ledger = ledger or InMemoryLedger()
        self.world: Any = small_world(self.ledger)
        self.done: list[tuple[str, float]] = []
        self.pauses: list[float] = []

    @property
    def hour(self) -> float:
        return (self.world.clock.now() - NOW) / HOUR

    def job(self, name: str, every_h: float, *faults: Exception) -> Job:
        left = list(faults)

        async def story(_world: Any) -> None:
            self.done.append((name, self.hour))
            if left:
                raise left.pop(0)

        return Job(name, int(every_h * 3600), story, "Does something.")

    async def live(self, *jobs: Job, hours: float) -> None:
        """Run the schedule until so many hours have passed."""
        end = self.world.clock.now() + hours * HOUR
        over = asyncio.Event()

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)
            self.world.clock.advance(round(seconds * 1000))
            if self.world.clock.now() >= end:
                over.set()
                await asyncio.Event().wait()

        running = asyncio.create_task(run_schedule(self.world, jobs, pause))
        await asyncio.wait_for(over.wait(), 20)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_what_never_ran_runs_at_once_and_then_at_its_times() -> None:
    days = Days()
    await days.live(days.job("often", 1), days.job("seldom", 3), hours=4)
    assert days.done == [
        ("often", 0.0), ("seldom", 0.0), ("often", 1.0), ("often", 2.0), ("often", 3.0), ("seldom", 3.0),
    ]  # fmt: skip
    assert await days.ledger.jobs_ran() == {"often": NOW + 3 * HOUR, "seldom": NOW + 3 * HOUR}


async def test_what_was_missed_while_the_node_was_off_is_done_once_at_its_start() -> None:
    days = Days()
    await days.live(days.job("hourly", 1), days.job("daily", 24), hours=2)
    days.world.clock.advance(10 * HOUR)
    days.done.clear()
    await days.live(days.job("hourly", 1), days.job("daily", 24), hours=2)
    assert days.done == [("hourly", 12.0), ("hourly", 13.0)]
    days.world.clock.advance(20 * HOUR)
    days.done.clear()
    await days.live(days.job("hourly", 1), days.job("daily", 24), hours=0.5)
    assert days.done == [("hourly", 34.0), ("daily", 34.0)]


async def test_a_job_that_fails_is_noted_keeps_no_other_from_running_and_is_tried_at_its_next_time() -> None:
    days = Days()
    await days.live(days.job("breaks", 2, ValueError("once")), days.job("works", 1), hours=3)
    assert days.done == [("breaks", 0.0), ("works", 0.0), ("works", 1.0), ("breaks", 2.0), ("works", 2.0)]
    ((story, fault, _),) = days.world.journal.noted
    assert (story, str(fault)) == ("breaks", "once")
    assert (await days.ledger.jobs_ran())["breaks"] == NOW + 2 * HOUR


async def test_a_run_that_cannot_be_noted_is_not_repeated_before_its_next_time() -> None:
    days = Days()
    days.ledger.fail_next(UNREADABLE)
    await days.live(days.job("hourly", 1), hours=2)
    assert days.done == [("hourly", 0.0), ("hourly", 1.0)]
    assert days.world.journal.codes == ["storage_unavailable"]
    assert await days.ledger.jobs_ran() == {"hourly": NOW + HOUR}


async def test_while_the_ledger_does_not_say_when_jobs_ran_none_runs() -> None:
    class Away(InMemoryLedger):
        faults = 3

        async def jobs_ran(self) -> dict[str, int]:
            if self.faults:
                self.faults -= 1
                raise UNREADABLE
            return await super().jobs_ran()

    days = Days(Away())
    await days.live(days.job("hourly", 1), hours=0.5)
    assert days.done == [("hourly", 0.05)]
    assert days.world.journal.codes == ["storage_unavailable"] * 3


async def test_no_pause_is_longer_than_to_the_next_due_time_or_a_minute() -> None:
    days = Days()
    await days.live(days.job("odd", 100 / 3600), days.job("seldom", 24), hours=0.1)
    assert [hour for name, hour in days.done if name == "odd"] == pytest.approx([0, 100 / 3600, 200 / 3600, 300 / 3600])
    assert days.pauses[:4] == [60.0, 40.0, 60.0, 40.0]
    assert max(days.pauses) <= LONGEST_PAUSE_S


async def test_a_clock_that_was_set_back_puts_nothing_off() -> None:
    days = Days()
    await days.live(days.job("daily", 24), hours=0.1)
    days.world.clock.advance(-1000 * HOUR)
    await days.live(days.job("daily", 24), hours=0.1)
    assert [hour for _, hour in days.done] == pytest.approx([0.0, -999.9], abs=0.05)


async def test_a_job_that_is_cut_short_is_due_again_at_the_next_start() -> None:
    world: Any = small_world(InMemoryLedger())
    begun = asyncio.Event()

    async def for_ever(_world: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(run_schedule(world, (Job("long", 60, for_ever, ""),)))
    await asyncio.wait_for(begun.wait(), 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await world.ledger.jobs_ran() == {}
    assert world.journal.noted == []


@pytest.mark.parametrize(
    "ran_at, due", [(None, NOW), (NOW - 60_000, NOW), (NOW - 59_000, NOW + 1_000), (NOW, NOW + 60_000), (NOW + 1, NOW)]
)
def test_a_job_is_due_its_interval_after_it_last_began(ran_at: int | None, due: int) -> None:
    story: Callable[[Any], Awaitable[object]] = asyncio.sleep
    assert due_at(Job("minutely", 60, story, ""), ran_at, NOW) == due
