"""`POST /v1/memory/reindex`: every memory is embedded anew (MEM-002 §2.2)."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import json_body, served
from csbond.flows.remake_vectors import remake_vectors
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.entry_fields import whole_object


async def reindex(request: Request) -> Response:
    """What is being done; `/v1/status` tells how far it is."""
    for name in whole_object(await json_body(request)):
        raise refused(str(name)[:64], "is no part of this: every memory is embedded anew")
    remaking = await remake_vectors(served(request).world)
    return Json({"model": remaking.model, "started": remaking.started, "entries": remaking.entries}, 202)


OPERATIONS = (
    Operation("POST", "/v1/memory/reindex", reindex, body="MemoryReindex", answer="MemoryReindexing", status=202),
)
