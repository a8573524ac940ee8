"""The front door: calls that come by the hundred go straight to their guarded route, all others by the router."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from csbond.transport.jsonrpc import JsonRpcEndpoint


class FrontDoor:
    """The application, with the way of the JSON-RPC calls cut short.

    Their endpoint answers every fault itself, in its own shape: what the router and its layers would add is some five
    hundredths of the processor time of a message. Each still passes its guard.
    """

    def __init__(self, app: ASGIApp, guarded: Iterable[BaseRoute]) -> None:
        self.app = app
        self.direct: dict[tuple[str, str], ASGIApp] = {
            (method, route.path): route.app
            for route in guarded
            if isinstance(route, Route) and isinstance(route.endpoint, JsonRpcEndpoint)
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the call to its route, or to the router."""
        key = (scope["method"], scope["path"]) if scope["type"] == "http" else None
        direct = self.direct.get(key) if key else None
        await (direct or self.app)(scope, receive, send)
