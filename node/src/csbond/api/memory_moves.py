"""`/v1/memory/{id}/promote`, `/demote` and `/v1/memory/tend`: memories change their tier (MEM-003, MEM-004 §4.2)."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from csbond.api.body_parts import level_in, moment_in, parts_of, truth_in
from csbond.api.memory import MemoryId
from csbond.api.memory_shown import etag, shown
from csbond.api.moves_shown import tended_to_json
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import (
    caller_of,
    expected_versions,
    idempotency_key,
    intent_of,
    json_body_or_none,
    no_versions,
    served,
)
from csbond.flows.move_memory import lower_memory, raise_memory
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.memory.entry import Level


async def promote(request: Request, id: MemoryId) -> Response:
    """The memory in the next higher tier, or in a higher one that the body names."""
    entry = await raise_memory(
        served(request).world,
        id,
        await _tier(request),
        caller=caller_of(request),
        intent=intent_of(request, "raise a memory"),
        expected=expected_versions(request),
        key=idempotency_key(request),
    )
    return Json(shown(request, entry), headers=etag(entry))


async def demote(request: Request, id: MemoryId) -> Response:
    """The memory in the next lower tier, or in a lower one that the body names."""
    entry = await lower_memory(
        served(request).world,
        id,
        await _tier(request),
        caller=caller_of(request),
        intent=intent_of(request, "lower a memory"),
        expected=expected_versions(request),
        key=idempotency_key(request),
    )
    return Json(shown(request, entry), headers=etag(entry))


async def tend(request: Request) -> Response:
    """What was due and is done now, or would be by a dry run, step by step."""
    no_versions(request)
    body = parts_of(await json_body_or_none(request), ("as_of", "dry_run", "clear"))
    here = served(request)
    tended = await tend_memory(
        here.world,
        moment_in(body, "as_of"),
        clear=truth_in(body, "clear", preset=False),
        dry_run=truth_in(body, "dry_run", preset=False),
        intent=intent_of(request, "tend the memories"),
        operator=caller_of(request).key,
    )
    return Json(tended_to_json(tended, here.names))


async def _tier(request: Request) -> Level | None:
    """The tier that the body names; None where it leaves that out."""
    body = parts_of(await json_body_or_none(request), ("to",))
    return level_in(body, "to", served(request).names)


OPERATIONS = (
    Operation("PATCH", "/v1/memory/{id}/promote", promote, body="MemoryTier", answer="Memory", body_needed=False),
    Operation("PATCH", "/v1/memory/{id}/demote", demote, body="MemoryTier", answer="Memory", body_needed=False),
    Operation("POST", "/v1/memory/tend", tend, body="MemoryTending", answer="MemoryTended", body_needed=False),
)
