"""`GET /v1/status`: how the node is, for its owner."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import served
from csbond.flows.show_status import show_status


async def status(request: Request) -> Response:
    """Counts, the lag of the vector index, and versions."""
    here = served(request)
    found = await show_status(here.world)
    return Json(
        {
            "agent": {"name": here.world.agent.name, "did": here.world.agent.did},
            "version": here.version,
            "started_at": here.started_at,
            "draining": found.draining,
            "running_tasks": found.running_tasks,
            "counts": dict(found.counts),
            "memory": {
                "space_seq": found.space_seq,
                "semantic": found.semantic,
                "model": found.model or None,
                "indexed_through": found.indexed_through,
                "waiting": found.waiting,
                "failure": found.failure or None,
                "no_embedder": found.no_embedder or None,
                "remaking": found.remaking,
                "index": found.index or None,
                "index_note": found.index_note or None,
            },
            **here.facts,
        }
    )


OPERATIONS = (Operation("GET", "/v1/status", status, answer="Status"),)
