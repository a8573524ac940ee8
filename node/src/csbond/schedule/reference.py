"""The page of the reference that is made from the jobs."""

from __future__ import annotations

from csbond.schedule.jobs import DAY_S, HOUR_S, JOBS, MINUTE_S

_HEAD = """\
# Background work

What a node does at set times, made from `csbond.schedule.jobs`. The ledger keeps when each job last began: what came
due while the node was off is done once when it starts. One process works on a database, so no job runs twice. A job
that fails is noted in the log, keeps nobody from their work, and is tried again at its next time.

| Job | Every | What it does |
| --- | --- | --- |
"""
_UNITS = ((DAY_S, "day"), (HOUR_S, "hour"), (MINUTE_S, "minute"))


def jobs_markdown() -> str:
    """`docs/reference/jobs.md`."""
    return _HEAD + "".join(f"| `{job.name}` | {_span(job.every_s)} | {job.sentence} |\n" for job in JOBS)


def _span(seconds: int) -> str:
    for unit, name in _UNITS:
        count, rest = divmod(seconds, unit)
        if not rest:
            return name if count == 1 else f"{count} {name}s"
    return f"{seconds} seconds"
