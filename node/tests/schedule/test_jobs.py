from __future__ import annotations

import pytest

from csbond.flows.changes import RememberRequest
from csbond.flows.limits import Limits
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.messages.task import TaskState
from csbond.schedule.jobs import DAY_S, JOBS
from csbond.schedule.reference import jobs_markdown
from csbond.schedule.runner import run_due
from csbond_tests.ledger_samples import home
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, incoming, shown, world_of

WAIT = Limits(interrupted_ttl_s=DAY_S)
FULL = Unavailable("storage_full", "the disk is full")


def test_every_job_has_a_name_of_its_own_and_a_row_in_the_reference() -> None:
    page = jobs_markdown()
    assert len({job.name for job in JOBS}) == len(JOBS)
    assert all(f"| `{job.name}` |" in page and job.sentence in page for job in JOBS)
    assert "| `end_lost_tasks` | minute |" in page


@requirement("FAULT-18")
async def test_the_jobs_of_a_node_do_what_they_say() -> None:
    world = world_of(ask_then_echo, limits=WAIT)
    world.ledger.faults = [None, FULL, FULL]
    with pytest.raises(CsbError):
        await answered(world, incoming("its end is not kept"))
    (lost,) = await world.ledger.unfinished_tasks()
    world.journal.noted.clear()
    waiting = (await answered(world, incoming("one"))).task
    await world.ledger.commit(home(RememberRequest("owner", "m-old", "d", "task-1", world.clock.now())))

    ran: dict[str, int] = {}
    assert await run_due(world, JOBS, ran) == world.clock.now() + 60_000
    assert (await shown(world, lost.id)).task.state is TaskState.FAILED
    assert (await shown(world, waiting.id)).task.state is TaskState.INPUT_REQUIRED
    assert await world.ledger.repeated_request("owner", "m-old") is not None

    world.clock.advance(DAY_S * 1000 + 1)
    await run_due(world, JOBS, ran)
    assert (await shown(world, waiting.id)).task.state is TaskState.CANCELED
    assert await world.ledger.repeated_request("owner", "m-old") is None
    assert ran == await world.ledger.jobs_ran() == dict.fromkeys((job.name for job in JOBS), world.clock.now())
    assert world.journal.noted == []
