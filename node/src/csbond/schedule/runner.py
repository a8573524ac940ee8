"""Runs jobs when they are due, one after the other, and once at start for all that was missed.

The lock on the database lets one process run them (`store/sqlite/held_file.py`), so what this process remembers of
their last runs is what the ledger knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from csbond.flows.changes import Change, NoteJob
from csbond.flows.world import NODE_SPACE, World
from csbond.schedule.jobs import JOBS, Job

LONGEST_PAUSE_S = 60.0
"""Seconds after which the clock is looked at again: it may be set, or the machine may sleep."""

Pause = Callable[[float], Awaitable[object]]


async def run_schedule(world: World, jobs: Sequence[Job] = JOBS, pause: Pause = asyncio.sleep) -> None:
    """Run every job at its times until cancelled; a job that fails is noted and tried again at its next time."""
    ran: dict[str, int] | None = None
    while True:
        if ran is None:
            ran = await _last_runs(world)
        next_at = await run_due(world, jobs, ran) if ran is not None else world.clock.now() + LONGEST_PAUSE_S * 1000
        await pause(min(LONGEST_PAUSE_S, max(0.0, (next_at - world.clock.now()) / 1000)))


async def run_due(world: World, jobs: Sequence[Job], ran: dict[str, int]) -> float:
    """Run what is due, and note it in `ran` and in the ledger; returns when the next job is due."""
    for job in jobs:
        now = world.clock.now()
        if due_at(job, ran.get(job.name), now) <= now:
            ran[job.name] = now
            await _run(world, job, now)
    now = world.clock.now()
    return min((due_at(job, ran.get(job.name), now) for job in jobs), default=float("inf"))


def due_at(job: Job, ran_at: int | None, now: int) -> int:
    """When a job is due, in milliseconds since 1970; now, when it never ran or seems to have run in the future."""
    return now if ran_at is None or ran_at > now else ran_at + job.every_s * 1000


async def _last_runs(world: World) -> dict[str, int] | None:
    try:
        return await world.ledger.jobs_ran()
    except Exception as fault:
        world.journal.failed("schedule", fault)
        return None


async def _run(world: World, job: Job, now: int) -> None:
    """A run that was cut short is not noted: it is due again at the next start."""
    try:
        await job.story(world)
    except Exception as fault:
        world.journal.failed(job.name, fault)
    try:
        await world.ledger.commit(Change(NODE_SPACE, (NoteJob(job.name, now),)))
    except Exception as fault:
        world.journal.failed(job.name, fault)
