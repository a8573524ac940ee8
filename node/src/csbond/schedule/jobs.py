"""What is done at set times: one row a job."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from csbond.flows.end_waiting_tasks import end_waiting_tasks
from csbond.flows.forget_requests import forget_requests
from csbond.flows.look_after_ledger import look_after_ledger
from csbond.flows.reconcile_tasks import end_lost_tasks
from csbond.flows.tend_memory import tend_memory
from csbond.flows.world import World

MINUTE_S = 60
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S


@dataclass(frozen=True, slots=True)
class Job:
    """A story that is told again and again."""

    name: str
    """Under which the ledger keeps when it ran; a job that gets another name runs anew."""
    every_s: int
    """Seconds from the beginning of one run to the next."""
    story: Callable[[World], Awaitable[object]]
    sentence: str
    """What it does, for the owner."""


JOBS: tuple[Job, ...] = (
    Job("end_lost_tasks", MINUTE_S, end_lost_tasks, "Ends tasks whose end could not be kept when they ended."),
    Job(
        "end_waiting_tasks",
        HOUR_S,
        end_waiting_tasks,
        "Cancels tasks that waited for their caller longer than `limits.interrupted_ttl_s`.",
    ),
    Job(
        "forget_requests",
        DAY_S,
        forget_requests,
        "Forgets message ids that are older than `limits.repeat_window_s`.",
    ),
    Job(
        "look_after_ledger",
        DAY_S,
        look_after_ledger,
        "Renews the database's statistics and folds its log into the file.",
    ),
    Job(
        "tend_memory",
        10 * MINUTE_S,
        tend_memory,
        "Lets memories rise and sink, deletes and clears what is due; how often is `tiers.tend_every_s`.",
    ),
)


def jobs_at(tend_every_s: int) -> tuple[Job, ...]:
    """The jobs, with the time between two tendings that is set."""
    return tuple(replace(job, every_s=tend_every_s) if job.story is tend_memory else job for job in JOBS)
