"""The routes of the A2A side: JSON-RPC, HTTP+JSON, the card and what is public of the node."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from csbond.protocol.messages.dialects import Version
from csbond.transport.cards import CACHE_S, Cards
from csbond.transport.jsonrpc import JsonRpcEndpoint
from csbond.transport.operations import Operations
from csbond.transport.rest import REST_METHODS, RestEndpoint

JSON_RPC_PATHS = ("/", "/a2a", "/a2a/json-rpc", "/a2a/json-rpc/")
"""The last one for clients that put a slash behind the address of the card."""
CARD_PATHS = ("/.well-known/agent-card.json", "/.well-known/agent.json", "/")

BaseUrl = Callable[[Request], str]
"""The address under which a request reached this node."""
Document = Callable[[], Mapping[str, Any]]
LiveDocument = Callable[[], Awaitable[Mapping[str, Any]]]


def a2a_routes(operations: Operations) -> list[BaseRoute]:
    """JSON-RPC at its three places, HTTP+JSON, and the v1.0 routes once more below a tenant."""
    rpc: ASGIApp = JsonRpcEndpoint(operations)
    routes: list[BaseRoute] = [Route(path, rpc, methods=["POST"]) for path in JSON_RPC_PATHS]
    for method in REST_METHODS:
        endpoint: ASGIApp = RestEndpoint(operations, method)
        routes.append(Route(method.path, endpoint, methods=[method.verb]))
    for method in REST_METHODS:
        if method.version is Version.V1_0:
            endpoint = RestEndpoint(operations, method)
            routes.append(Route("/{tenant}" + method.path, endpoint, methods=[method.verb]))
    return routes


def card_routes(cards: Cards, base_url: BaseUrl) -> list[BaseRoute]:
    """The public card at both well-known places, with what caches ask for (A2A v1.0.1 §8.6)."""

    async def card(request: Request) -> Response:
        served = cards.public(base_url(request))
        headers = {
            "etag": served.etag,
            "last-modified": cards.last_modified,
            "cache-control": f"public, max-age={CACHE_S}",
        }
        known = request.headers.get("if-none-match", "")
        if served.etag in known or known.strip() == "*":
            return Response(status_code=304, headers=headers)
        return Response(served.body, media_type="application/json", headers=headers)

    return [Route(path, card, methods=["GET"]) for path in CARD_PATHS]


def document_routes(jwks: Document, identity: Document, health: LiveDocument) -> list[BaseRoute]:
    """The public documents about this node."""

    async def show_jwks(_request: Request) -> Response:
        return _json(jwks())

    async def show_identity(_request: Request) -> Response:
        return _json(identity())

    async def show_health(_request: Request) -> Response:
        return _json(await health())

    return [
        Route("/.well-known/jwks.json", show_jwks, methods=["GET"]),
        Route("/identity.json", show_identity, methods=["GET"]),
        Route("/health", show_health, methods=["GET"]),
    ]


def _json(document: Mapping[str, Any]) -> Response:
    return Response(orjson.dumps(document), media_type="application/json")
