"""`/v1/memory/forgetting`: the owner reads and sets the rules of forgetting, and tries them out (MEM-005 §5.3)."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from csbond.api.body_parts import limit_in, moment_in, parts_of, place_in, texts_in
from csbond.api.memory_shown import etag
from csbond.api.moves_shown import planned_to_json, tended_to_json
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import (
    caller_of,
    expected_versions,
    intent_of,
    is_known,
    json_body,
    json_body_or_none,
    no_versions,
    served,
)
from csbond.flows.preview_forgetting import apply_forgetting, preview_forgetting
from csbond.flows.set_forgetting import read_forgetting, set_forgetting
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.forgetting_json import policy_from_json, policy_to_json

PREVIEW_PARTS = ("document", "rules", "as_of", "limit", "cursor")
"""What the body of a preview may hold."""


async def show_rules(request: Request) -> Response:
    """The document that is in force, its version as ETag; the preset one has version 0."""
    policy = await read_forgetting(served(request).world, caller_of(request))
    if is_known(request, policy.version):
        return Response(status_code=304, headers=etag(policy))
    return Json(policy_to_json(policy), headers=etag(policy))


async def set_rules(request: Request) -> Response:
    """The document that is in force now; with If-Match only in place of that version."""
    policy = await set_forgetting(
        served(request).world,
        await json_body(request),
        caller_of(request),
        intent_of(request, "set the rules of forgetting"),
        expected_versions(request),
    )
    return Json(policy_to_json(policy), headers=etag(policy))


async def preview(request: Request) -> Response:
    """What rules would delete and archive, a page at a time, and the name of that plan."""
    no_versions(request)
    body = parts_of(await json_body_or_none(request), PREVIEW_PARTS)
    here = served(request)
    found = await preview_forgetting(
        here.world,
        caller_of(request),
        policy_from_json(body["document"]) if "document" in body else None,
        texts_in(body, "rules"),
        as_of=moment_in(body, "as_of"),
        before=place_in(body),
        limit=limit_in(body),
    )
    planned = [planned_to_json(move, here.names) for move in found.page.rows]
    page = {"planned": planned, "total": found.page.total, "next_cursor": found.page.next_cursor}
    return Json({"plan": found.plan, **page})


async def apply(request: Request) -> Response:
    """What was done of a plan: exactly what its preview listed."""
    no_versions(request)
    plan = parts_of(await json_body(request), ("plan",)).get("plan")
    if not isinstance(plan, str):
        raise refused("plan", "must be the name of a plan, as a preview gives it")
    here = served(request)
    tended = await apply_forgetting(here.world, plan, caller_of(request), intent_of(request, "apply rules"))
    return Json(tended_to_json(tended, here.names))


OPERATIONS = (
    Operation("GET", "/v1/memory/forgetting", show_rules, answer="ForgettingDocument", statuses=(304,)),
    Operation("PUT", "/v1/memory/forgetting", set_rules, body="ForgettingWrite", answer="ForgettingDocument"),
    Operation(
        "POST",
        "/v1/memory/forgetting/preview",
        preview,
        body="ForgettingPreview",
        answer="ForgettingPlan",
        body_needed=False,
    ),
    Operation("POST", "/v1/memory/forgetting/apply", apply, body="ForgettingApply", answer="MemoryTended"),
)
