"""The application: the REST routes, the one error shape and the OpenAPI document.

The A2A routes are added by the one who wires (`csbond.asgi`), who then puts all of them behind the guard.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from fastapi import Depends, FastAPI, Request
from starlette.responses import JSONResponse, Response

from csbond.api import (
    archive,
    continuity,
    exchange,
    forgetting,
    memory,
    memory_links,
    memory_moves,
    memory_reindex,
    memory_removal,
    memory_search,
    network,
    principals,
    reviews,
    snapshots,
    status,
    talk,
)
from csbond.api.guard import Recognise
from csbond.api.openapi import openapi_document
from csbond.api.operation import UNCHANGED, Operation
from csbond.api.problems import install
from csbond.api.query_parameters import check_query
from csbond.api.served import Served
from csbond.flows.recognise_caller import recognise_caller
from csbond.protocol.messages.caller import Caller

OPERATIONS: tuple[Operation, ...] = (
    *forgetting.OPERATIONS,
    *reviews.OPERATIONS,
    *archive.OPERATIONS,
    *snapshots.OPERATIONS,
    *network.OPERATIONS,
    *exchange.OPERATIONS,
    *memory_moves.OPERATIONS,
    *memory_removal.OPERATIONS,
    *memory.OPERATIONS,
    *memory_links.OPERATIONS,
    *memory_search.OPERATIONS,
    *memory_reindex.OPERATIONS,
    *continuity.OPERATIONS,
    *principals.OPERATIONS,
    *status.OPERATIONS,
    *talk.OPERATIONS,
)
"""Every route under `/v1` that is not A2A's; a place that has a name of its own stands before that of any memory."""


def quickly_found(operations: Sequence[Operation]) -> Iterator[Operation]:
    """The routes in the order in which they are looked through: each before costs a read of a memory ten microseconds.

    First come the places that would be taken for the id of a memory, then the memory by its id, then all others.
    """
    beside = [each for each in operations if (each.method, each.path.rpartition("/")[0]) == ("GET", "/v1/memory")]
    yield from beside
    yield from (each for each in operations if each not in beside)


def build_api(served: Served) -> FastAPI:
    """The application without the A2A routes and not yet guarded: until then its handlers let nobody through."""
    app = FastAPI(
        title="csbond", version=served.version, openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.state.served = served
    install(app)
    for operation in quickly_found(OPERATIONS):
        _add(app, operation)
    app.add_api_route("/openapi.json", _document_handler(app, served.version), include_in_schema=False)
    return app


def recogniser(served: Served) -> Recognise:
    """Who is behind an Authorization header, at this node."""

    async def recognise(authorization: str | None) -> Caller:
        return await recognise_caller(served.world.ledger, served.owner_digest, authorization)

    return recognise


def _add(app: FastAPI, operation: Operation) -> None:
    extra: dict[str, Any] = {}
    if operation.body:
        extra["requestBody"] = {
            "required": operation.body_needed,
            "content": {each: {"schema": _ref(operation.body)} for each in operation.body_types},
        }
    if operation.query:
        extra["parameters"] = [
            {"name": name, "in": "query", "required": False, "schema": schema}
            for name, schema in operation.query.items()
        ]
    answer = {"description": "Done.", "content": {operation.answer_type: {"schema": _ref(operation.answer)}}}
    statuses = (operation.status, *operation.statuses)
    app.add_api_route(
        operation.path,
        operation.handler,
        methods=[operation.method],
        dependencies=[Depends(check_query)],
        response_model=None,
        response_class=JSONResponse if operation.answer_type == JSONResponse.media_type else Response,
        status_code=operation.status,
        responses={status: UNCHANGED if status == 304 else answer for status in statuses},
        openapi_extra=extra,
    )


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _document_handler(app: FastAPI, version: str) -> Any:
    made: list[bytes] = []

    async def document(_request: Request) -> Response:
        if not made:
            made.append(orjson.dumps(openapi_document(app, version)))
        return Response(made[0], media_type="application/json")

    return document
