"""The guard at the door: no handler runs before the access class of its route has admitted the caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from csbond.api.problems import problem_at
from csbond.api.route_row import RouteRow, shape_of
from csbond.protocol.errors import CsbError, LocalProtocolError
from csbond.protocol.messages.caller import Caller
from csbond.protocol.trust.access import admit

Recognise = Callable[[str | None], Awaitable[Caller]]
"""The caller behind an `Authorization` header, or `unauthenticated`."""

_TENANT = "/{}"


@dataclass(frozen=True, slots=True)
class Guarded:
    """A route's handlers, each behind its row; the caller goes to them as `scope["state"]["caller"]`."""

    handler: ASGIApp
    rows: dict[str, RouteRow]
    recognise: Recognise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let an admitted caller through; answer 401 or 403 to anybody else."""
        row, authorization = self.rows[scope["method"]], _authorization(scope)
        try:
            caller = admit(row.access, await self.recognise(authorization))
        except CsbError as fault:
            await problem_at(row.tag, fault, _challenge(fault, authorization))(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = caller
        await self.handler(scope, receive, send)


def guard(routes: Sequence[BaseRoute], table: Iterable[RouteRow], recognise: Recognise) -> None:
    """Put every route behind its row; `internal_error` for a route without a row and a row without a route.

    A route below `/{tenant}` has the row of the route without it; HEAD has that of GET.
    """
    rows = {row.shape: row for row in table}
    unserved = dict(rows)
    for route in routes:
        if not isinstance(route, Route):
            raise LocalProtocolError("internal_error", f"only plain routes can be guarded, not {route!r}")
        found = {method: _row(rows, method, route.path) for method in route.methods or ("any method",)}
        for row in found.values():
            unserved.pop(row.shape, None)
        route.app = Guarded(route.app, found, recognise)
    if unserved:
        names = ", ".join(f"{row.method} {row.path}" for row in unserved.values())
        raise LocalProtocolError("internal_error", f"rows of the access table without a route: {names}")


def _row(rows: dict[tuple[str, str], RouteRow], method: str, path: str) -> RouteRow:
    asked = "GET" if method == "HEAD" else method
    shape = shape_of(path)
    row = rows.get((asked, shape))
    if row is None and shape.startswith(_TENANT + "/"):
        row = rows.get((asked, shape.removeprefix(_TENANT)))
    if row is None:
        raise LocalProtocolError("internal_error", f"{method} {path} has no row in the access table")
    return row


def _authorization(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return str(value, "latin-1")
    return None


def _challenge(fault: CsbError, authorization: str | None) -> dict[str, str]:
    """How to authenticate (RFC 6750 §3), for a caller who must."""
    if fault.code.http != 401:
        return {}
    wrong = ', error="invalid_token"' if authorization is not None else ""
    return {"WWW-Authenticate": f'Bearer realm="csbond"{wrong}'}
