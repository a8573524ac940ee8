"""The query of a route holds only parameters the route has, each once: a misspelled filter does not mean everything."""

from __future__ import annotations

from fastapi import Request
from fastapi.routing import APIRoute

from csbond.protocol.errors import RemoteProtocolError

_SHOWN = 64
"""Characters of an unknown name that are told back."""


async def check_query(request: Request) -> None:
    """Nothing; `invalid_params` for a parameter the route does not have, and for one that is given again."""
    route: APIRoute = request.scope["route"]
    told = [parameter["name"] for parameter in (route.openapi_extra or {}).get("parameters", ())]
    known = told + [parameter.alias for parameter in route.dependant.query_params]
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name not in known:
            raise _refused(name[:_SHOWN], "is no parameter of this route", known)
        if name in seen:
            raise _refused(name, "is given more than once", known)
        seen.add(name)


def _refused(name: str, why: str, known: list[str]) -> RemoteProtocolError:
    there_are = f"it has {', '.join(known)}, each once" if known else "it has none"
    return RemoteProtocolError(
        "invalid_params", f"the query parameter {name} {why}; {there_are}", next_step="leave it out", field=name
    )
