"""`/v1/principals`: who else has a token, for the owner."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import intent_of, json_body, served
from csbond.flows.name_principal import list_principals, name_principal, remove_principal
from csbond.flows.world import HOME_SPACE
from csbond.protocol.memory.entry_fields import whole_object


async def add(request: Request) -> Response:
    """A new principal with its token, which is shown this once."""
    raw = whole_object(await json_body(request))
    named = await name_principal(
        served(request).world,
        raw.get("name"),
        raw.get("role"),
        intent_of(request, "name a principal"),
        (HOME_SPACE,) if raw.get("spaces") is None else raw["spaces"],
    )
    shown = {"name": named.name, "role": named.role.value, "spaces": list(named.spaces), "token": named.token}
    return Json(shown, 201, {"Cache-Control": "no-store"})


async def list_all(request: Request) -> Response:
    """All principals, without their tokens."""
    rows = await list_principals(served(request).world)
    shown = [
        {
            "name": row.caller.name,
            "role": row.caller.role.value if row.caller.role else None,
            "spaces": sorted(row.caller.spaces),
            "created_at": row.created_at,
        }
        for row in rows
    ]
    return Json({"principals": shown})


async def remove(request: Request, name: str) -> Response:
    """The principal is gone, and its token with it."""
    await remove_principal(served(request).world, name, intent_of(request, "remove a principal"))
    return Json({"name": name, "removed": True})


OPERATIONS = (
    Operation("POST", "/v1/principals", add, body="PrincipalWrite", answer="PrincipalNamed", status=201),
    Operation("GET", "/v1/principals", list_all, answer="Principals"),
    Operation("DELETE", "/v1/principals/{name}", remove, answer="PrincipalRemoved"),
)
